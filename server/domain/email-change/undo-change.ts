import type { ChangedEmail, UndoEmailChangeBody } from '@usher/contract'
import { lockUser } from '../../store/queries/changed-user.js'
import { replaceAddress } from '../../store/queries/email-changes.js'
import { findReserved, freeReserved } from '../../store/queries/reserved-addresses.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { requireIssued } from '../keys/signed-text.js'
import { mailMessage } from '../notices/mail-message.js'
import { Problem } from '../problem.js'
import { removeWaysIn } from '../reclaim.js'
import type { DatabaseRequest } from '../request.js'

/**
 * Restores a former address of a user with the code that was sent to it, and undoes all changes since. Removes the
 * password, which the person who made the change may know, and all factors and identities, which that person may have added, also
 * before the change. Ends all sessions, and revokes all tokens and codes. Sends a mail to choose a new password. A disabled user
 * stays disabled.
 *
 * @throws {Problem} `code_invalid`
 */
export async function undoEmailChange(
  context: AppContext,
  request: DatabaseRequest<UndoEmailChangeBody>,
): Promise<ChangedEmail> {
  const databaseId = request.database.id
  const find = async (store: Pick<AppContext['store'], 'query'>, id: string) => {
    const reserved = await findReserved(store, { databaseId, id })
    return reserved && reserved.until.getTime() > context.now() ? reserved : undefined
  }
  const { id, userId, email, canonicalEmail, number } = await requireIssued(context, databaseId, {
    purpose: 'email_change_undo',
    code: request.body.code,
    find: (id) => find(context.store, id),
  })
  return runChange(context, request, async (change) => {
    const { now } = change
    const key = { databaseId, userId }
    const user = await lockUser(change, { databaseId, id: userId }, 'UPDATE')
    // Checked again, because the lock may have waited for another undo.
    if (!user || !(await find(change, id))) throw new Problem('code_invalid')
    await freeReserved(change, key, number)
    await replaceAddress(change, key, { email, canonicalEmail, now, isUndo: true })
    const removed = await removeWaysIn(change, userId)
    const template = 'email_change_undone'
    return {
      result: { email },
      facts: [
        { type: 'user.email_change_undone', userId },
        { type: 'user.email_verified', userId },
        ...removed,
      ],
      mails: [mailMessage({ databaseId, type: 'password_reset', template, userId }, now)],
    }
  })
}
