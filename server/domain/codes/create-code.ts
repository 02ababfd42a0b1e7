import { storeReturnedCode } from '../../store/queries/codes.js'
import type { Change, Outcome } from '../change.js'
import { requireLocked } from '../change.js'
import { requireAccountOperations, requireCodeMails } from '../databases/find-database.js'
import type { Secrets } from '../keys/database-secrets.js'
import { signedText } from '../keys/signed-text.js'
import { mailMessage } from '../notices/mail-message.js'
import { Problem } from '../problem.js'
import { type CodePurpose, endOfCode } from './code.js'

/**
 * Sends a code to a user, or returns it. It replaces earlier codes of its purpose.
 *
 * @param wanted.secrets of the database. Undefined to send the code, which a server then creates
 * @throws {Problem} `user_not_found`; `account_operations_off`; `app_url_missing`, if a mail sends it; `user_disabled`; `already_verified`
 */
export async function createCode(
  change: Change,
  { userId, purpose, secrets }: { userId: string; purpose: CodePurpose; secrets?: Secrets },
): Promise<Outcome<{ code: string | null; expiresAt: Date }>> {
  const { database, now, actor } = change
  const { emailVerifiedAt, disabledAt, canonicalEmail } = await requireLocked(change, userId)
  if (secrets) requireAccountOperations(database)
  else requireCodeMails(database)
  if (disabledAt) throw new Problem('user_disabled', { detail: `User ${userId} is disabled.` })
  if (purpose === 'email_verification' && emailVerifiedAt) throw new Problem('already_verified')
  const databaseId = database.id
  const mail = mailMessage({ databaseId, type: purpose, userId }, now)
  const { id } = mail
  const expiresAt = endOfCode(purpose, now)
  if (secrets) await storeReturnedCode(change, { databaseId, id, purpose, userId, createdAt: now, expiresAt })
  return {
    result: { code: secrets ? signedText(secrets, { id, purpose, canonicalEmail }) : null, expiresAt },
    facts: [
      {
        type:
          actor.kind === 'operator' && purpose === 'password_reset' ? 'user.reset_sent' : 'user.code_created',
        userId,
      },
    ],
    mails: secrets ? [] : [mail],
  }
}
