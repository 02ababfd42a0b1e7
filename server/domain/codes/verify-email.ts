import type { VerifiedEmail, VerifyEmailBody } from '@usher/contract'
import { verifyEmail as verify } from '../../store/queries/codes.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventMessages } from '../outbox/events.js'
import { Problem } from '../problem.js'
import { requireCode } from './code.js'

/** Marks an address as verified by a code that was sent to it. @throws {Problem} `code_invalid` */
export async function verifyEmail(
  context: AppContext,
  database: Database,
  { code }: VerifyEmailBody,
  log: Log,
): Promise<VerifiedEmail> {
  const { id, userId, emailVerifiedAt } = await requireCode(context, database, 'email_verification', code)
  const now = new Date(context.now())
  const messages = emailVerifiedAt
    ? []
    : eventMessages(database, now, [{ type: 'user.email_verified', userId }])
  const email = await verify(context.store, database.id, id, now, messages)
  if (email === undefined) throw new Problem('code_invalid')
  context.deliver(messages)
  audit(log, 'user.email_verified', { databaseId: database.id, userId })
  return { email }
}
