import type { VerifiedEmail, VerifyEmailBody } from '@usher/contract'
import { verifyEmail as verify } from '../../store/queries/codes.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventChannels, eventMessagesOf } from '../outbox/events.js'
import { Problem } from '../problem.js'
import { userOfToken } from '../users/user-of-token.js'
import { requireCode, verifiedEvents } from './code.js'

/**
 * Marks an address as verified by a code that was sent to it. A refused request does not use the code up.
 *
 * @param jwt a token, which must be of the user of the code
 * @throws {Problem} `code_invalid`, also for the code of another user; `token_missing` if the database demands a token;
 * the problems of {@link userOfToken}
 */
export async function verifyEmail(
  context: AppContext,
  database: Database,
  { code }: VerifyEmailBody,
  jwt: string | undefined,
  log: Log,
): Promise<VerifiedEmail> {
  if (jwt === undefined && database.verifyEmailWithToken) throw new Problem('token_missing')
  const caller = jwt === undefined ? undefined : (await userOfToken(context, database, jwt, log)).user
  const found = await requireCode(context, database, 'email_verification', code)
  const { userId } = found
  if (caller && caller.id !== userId) throw new Problem('code_invalid')
  const now = new Date(context.now())
  const messages = eventMessagesOf(database, now, verifiedEvents)
  const user = await verify(context.store, database.id, found, now, messages)
  if (!user) throw new Problem('code_invalid')
  context.deliver(eventChannels(database))
  if (user.isNewlyVerified) audit(log, 'user.email_verified', { databaseId: database.id, userId })
  return { email: user.email }
}
