import { validate as isUuid } from 'uuid'
import type { Message } from '../../store/generated/client.js'
import { type CodeUser, type FoundCode, findCode } from '../../store/queries/codes.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import type { Event } from '../events/events.js'
import type { Secrets } from '../keys/database-secrets.js'
import { Problem } from '../problem.js'

// A code is `id.mac`. Nothing in the store or the outbox can be used as a code.

export type CodePurpose = 'password_reset' | 'email_verification'

const lifetimeMilliseconds = { password_reset: 3_600_000, email_verification: 86_400_000 }

/** Returns when the code that a message sends expires. */
export const codeExpiresAt = ({ payload, createdAt }: Pick<Message, 'payload' | 'createdAt'>) =>
  new Date(createdAt.getTime() + lifetimeMilliseconds[(payload as { type: CodePurpose }).type])

/** Identifies a code. */
interface CodeKey {
  databaseId: string
  id: string
  purpose: CodePurpose
}

/** Returns a code, bound to the address to which it is sent. */
export async function issueCode(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  code: CodeKey & { canonicalEmail: string },
) {
  return codeText(await findSecrets(code.databaseId), code)
}

/** Returns a code by the secrets of its database. */
export const codeText = (
  { sign }: Secrets,
  { id, purpose, canonicalEmail }: Omit<CodeKey, 'databaseId'> & { canonicalEmail: string },
) => `${id}.${sign(purpose, id, canonicalEmail)}`

/** Returns a code of the database if it can be used. @throws {Problem} `code_invalid` */
export async function requireCode(
  { findSecrets, store, now }: AppContext,
  { id: databaseId }: Database,
  { purpose, code }: { purpose: CodePurpose; code: string },
): Promise<FoundCode> {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? []
  const found = isUuid(id) && (await findCode(store, { databaseId, id, purpose }, new Date(now())))
  if (!found) throw new Problem('code_invalid')
  const secrets = await findSecrets(databaseId)
  if (!secrets.verify(mac, purpose, id, found.canonicalEmail)) throw new Problem('code_invalid')
  return found
}

/** Returns the events of a user who has used a code. */
export const verifiedEvents = ({ id: userId, isNewlyVerified }: CodeUser): Event[] =>
  isNewlyVerified ? [{ type: 'user.email_verified', userId }] : []
