import type { ChangedEmail, ChangeEmailBody } from '@usher/contract'
import { isUniqueViolation } from '../../store/errors.js'
import {
  type FoundChange,
  findPendingChange,
  lockAddressOwner,
  replaceAddress,
} from '../../store/queries/email-changes.js'
import { insertMessages } from '../../store/queries/outbox.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventChannels, eventMessages } from '../events/events.js'
import { requireIssued } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { AddressTaken, changeAddress } from './change-address.js'

/**
 * Changes the address of a user with the code that was sent to the new one. Ends all sessions, and revokes all tokens
 * and codes. The former address, if it was verified, stays taken, and gets a code to undo the change.
 *
 * @throws {Problem} `code_invalid`; `email_taken`, which does not use up the code
 */
export async function changeEmail(
  context: AppContext,
  { database, body: { code }, caller }: DatabaseRequest<ChangeEmailBody>,
): Promise<ChangedEmail> {
  const { id: databaseId } = database
  const now = new Date(context.now())
  const found = await requireIssued(context, databaseId, {
    purpose: 'email_change',
    code,
    find: (id) => findPendingChange(context.store, { databaseId, id }, now),
  })
  const { isNewlyVerified } = await change(context, database, { found, now }).catch((error) => {
    throw isUniqueViolation(error) || error instanceof AddressTaken
      ? new Problem('email_taken', { cause: error })
      : error
  })
  context.deliver([{ databaseId, kind: 'mail' }, ...eventChannels(database)])
  const { userId } = found
  audit(caller.log, 'user.email_changed', { databaseId, userId })
  if (isNewlyVerified) audit(caller.log, 'user.email_verified', { databaseId, userId })
  return { email: found.email }
}

/** @throws a unique violation if another user takes the address meanwhile */
const change = (context: AppContext, database: Database, { found, now }: { found: FoundChange; now: Date }) =>
  context.store.transaction(database.id, async (query) => {
    const { userId, email, canonicalEmail } = found
    const key = { databaseId: database.id, userId }
    const user = await lockAddressOwner({ query }, key)
    // Checked again, because the lock may have waited for another change.
    const isPending = await findPendingChange({ query }, { databaseId: database.id, id: found.id }, now)
    if (!user || !isPending) throw new Problem('code_invalid')
    const update = () => replaceAddress({ query }, key, { email, canonicalEmail, now })
    const mails = await changeAddress({ query, database, now }, { user, to: found, isUndoable: true, update })
    const isNewlyVerified = canonicalEmail !== user.canonicalEmail || user.emailVerifiedAt === null
    const events = eventMessages(database, now, [
      { type: 'user.email_changed', userId },
      ...(isNewlyVerified ? [{ type: 'user.email_verified', userId } as const] : []),
    ])
    await insertMessages({ query }, [...events, ...mails])
    return { isNewlyVerified }
  })
