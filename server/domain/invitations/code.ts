import { type FoundInvitation, findInvitation } from '../../store/queries/acceptances.js'
import type { Queries } from '../../store/store.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import type { Secrets } from '../keys/database-secrets.js'
import { readSigned, requireIssued, signedText } from '../keys/signed-text.js'
import { Problem } from '../problem.js'

// The code of an invitation contains the id of the message that sends it. So inviting again makes the earlier code invalid.

/** Returns the code of an invitation. */
export const invitationCode = (
  secrets: Secrets,
  { codeId: id, canonicalEmail }: Pick<FoundInvitation, 'codeId' | 'canonicalEmail'>,
) => signedText(secrets, { purpose: 'invitation', id, canonicalEmail })

/** Returns the id in a code, or null if it is not a code. */
export const idInCode = (code: string) => readSigned(code)?.id ?? null

/**
 * Returns the invitation of a code. Does not check the conditions that need a lock of its tenant.
 *
 * @throws {Problem} `code_invalid`
 */
export function requireInvitation(
  { findSecrets, store, now }: Pick<AppContext, 'findSecrets' | 'now'> & { store: Queries },
  { id: databaseId, tenantOperations }: Pick<Database, 'id' | 'tenantOperations'>,
  code: string,
): Promise<FoundInvitation> {
  if (!tenantOperations) throw new Problem('code_invalid')
  const find = (codeId: string) => findInvitation(store, { databaseId, codeId }, new Date(now()))
  return requireIssued({ findSecrets }, databaseId, { purpose: 'invitation', code, find })
}
