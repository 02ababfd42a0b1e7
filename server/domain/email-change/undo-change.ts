import type { ChangedEmail, UndoEmailChangeBody } from '@usher/contract'
import { lockAddressOwner, replaceAddress } from '../../store/queries/email-changes.js'
import { insertMessages } from '../../store/queries/outbox.js'
import { findReserved, freeReserved } from '../../store/queries/reserved-addresses.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessages } from '../events/events.js'
import { requireIssued } from '../keys/signed-text.js'
import { mailMessage } from '../notices/mail-message.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'

/**
 * Restores a former address of a user with the code that was sent to it, and undoes all changes since. Removes the
 * password, which the person who made the change may know. Ends all sessions, and revokes all tokens and codes. Sends a mail to
 * choose a new password. A disabled user stays disabled.
 *
 * @throws {Problem} `code_invalid`
 */
export async function undoEmailChange(
  context: AppContext,
  { database, body: { code }, caller }: DatabaseRequest<UndoEmailChangeBody>,
): Promise<ChangedEmail> {
  const { id: databaseId } = database
  const now = new Date(context.now())
  const find = async (store: Pick<AppContext['store'], 'query'>, id: string) => {
    const reserved = await findReserved(store, { databaseId, id })
    return reserved && reserved.until > now ? reserved : undefined
  }
  const { id, userId, email, canonicalEmail, number } = await requireIssued(context, databaseId, {
    purpose: 'email_change_undo',
    code,
    find: (id) => find(context.store, id),
  })
  await context.store.transaction(databaseId, async (query) => {
    const key = { databaseId, userId }
    const user = await lockAddressOwner({ query }, key)
    // Checked again, because the lock may have waited for another undo.
    if (!user || !(await find({ query }, id))) throw new Problem('code_invalid')
    await freeReserved({ query }, key, number)
    const passwordHash = dummyHashOf(user.passwordHash)
    await replaceAddress({ query }, key, { email, canonicalEmail, now, passwordHash })
    await insertMessages({ query }, [
      ...eventMessages(database, now, [
        { type: 'user.email_change_undone', userId },
        { type: 'user.email_verified', userId },
      ]),
      mailMessage({ databaseId, type: 'password_reset', template: 'email_change_undone', userId }, now),
    ])
  })
  context.deliver([{ databaseId, kind: 'mail' }, ...eventChannels(database)])
  audit(caller.log, 'user.email_change_undone', { databaseId, userId })
  audit(caller.log, 'user.email_verified', { databaseId, userId })
  return { email }
}
