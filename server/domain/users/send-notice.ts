import { hasVerifiedAddress } from '../../store/queries/users.js'
import { runWithinLimits } from '../change.js'
import type { AppContext } from '../context.js'
import { mailMessage } from '../notices/mail-message.js'
import { isNoticeOn, type Notice } from '../notices/notice.js'
import type { DatabaseRequest } from '../request.js'

/**
 * Sends a notice of an event that changed no credential, unless the user has received too many or never verified the address.
 * A failure is only logged, because the event itself is already stored.
 */
export async function sendNotice(
  context: Pick<AppContext, 'store' | 'requestAllowance' | 'deliver' | 'now'>,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { notice, userId, isWanted }: { notice: Notice; userId: string; isWanted?: () => Promise<boolean> },
) {
  const { database, caller } = request
  const databaseId = database.id
  if (!isNoticeOn(database, notice)) return
  try {
    if (isWanted && !(await isWanted())) return
    if (!(await hasVerifiedAddress(context.store, { databaseId, userId }))) return
    await runWithinLimits(context, request, {
      limited: { purpose: 'notice', userId },
      async rule(change, count) {
        await count(change)
        const mail = mailMessage({ databaseId, type: notice, userId }, change.now)
        return { result: mail, facts: [], mails: [mail] }
      },
    })
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId, notice }, 'a notice was not stored')
  }
}
