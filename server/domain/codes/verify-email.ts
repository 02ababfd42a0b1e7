import type { VerifiedEmail, VerifyEmailBody } from '@usher/contract'
import { verifyEmail as verify } from '../../store/queries/codes.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessagesOf } from '../events/events.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { requireCode, verifiedEvents } from './code.js'

/**
 * Marks an address as verified with a code that was sent to it. A rejected request does not use up the code.
 *
 * @throws {Problem} `code_invalid`, also if code and token belong to different users; `token_missing` if the database
 * requires a token
 */
export async function verifyEmail(
  context: AppContext,
  { database, user, body: { code }, caller }: DatabaseRequest<VerifyEmailBody> & Partial<UserRequest>,
): Promise<VerifiedEmail> {
  if (!user && database.verifyEmailWithToken) throw new Problem('token_missing')
  const found = await requireCode(context, database, { purpose: 'email_verification', code })
  const { userId } = found
  if (user && user.id !== userId) throw new Problem('code_invalid')
  const now = new Date(context.now())
  const messages = eventMessagesOf(database, now, verifiedEvents)
  const verified = await verify(context.store, { databaseId: database.id, ...found }, { now, messages })
  if (!verified) throw new Problem('code_invalid')
  context.deliver(eventChannels(database))
  if (verified.isNewlyVerified) audit(caller.log, 'user.email_verified', { databaseId: database.id, userId })
  return { email: verified.email }
}
