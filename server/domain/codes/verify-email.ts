import type { VerifiedEmail, VerifyEmailBody } from '@usher/contract'
import { verifyEmail as verify } from '../../store/queries/codes.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventChannels, eventMessagesOf } from '../outbox/events.js'
import { Problem } from '../problem.js'
import { requireCode, verifiedEvents } from './code.js'

/** Marks an address as verified by a code that was sent to it. @throws {Problem} `code_invalid` */
export async function verifyEmail(
  context: AppContext,
  database: Database,
  { code }: VerifyEmailBody,
  log: Log,
): Promise<VerifiedEmail> {
  const found = await requireCode(context, database, 'email_verification', code)
  const { userId } = found
  const now = new Date(context.now())
  const messages = eventMessagesOf(database, now, verifiedEvents)
  const user = await verify(context.store, database.id, found, now, messages)
  if (!user) throw new Problem('code_invalid')
  context.deliver(eventChannels(database))
  if (user.isNewlyVerified) audit(log, 'user.email_verified', { databaseId: database.id, userId })
  return { email: user.email }
}
