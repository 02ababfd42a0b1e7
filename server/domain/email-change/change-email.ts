import type { ChangedEmail, ChangeEmailBody } from '@usher/contract'
import { isUniqueViolation } from '../../store/errors.js'
import { lockUser } from '../../store/queries/changed-user.js'
import { type FoundChange, findPendingChange, replaceAddress } from '../../store/queries/email-changes.js'
import { type Change, type Fact, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
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
  request: DatabaseRequest<ChangeEmailBody>,
): Promise<ChangedEmail> {
  const databaseId = request.database.id
  const found = await requireIssued(context, databaseId, {
    purpose: 'email_change',
    code: request.body.code,
    find: (id) => findPendingChange(context.store, { databaseId, id }, new Date(context.now())),
  })
  return runChange(context, request, (change) => makePendingChange(change, found)).catch((error) => {
    throw isUniqueViolation(error) || error instanceof AddressTaken
      ? new Problem('email_taken', { cause: error })
      : error
  })
}

/** @throws a unique violation if another user takes the address meanwhile */
async function makePendingChange(
  change: Change,
  { id, userId, email, canonicalEmail }: FoundChange,
): Promise<Outcome<ChangedEmail>> {
  const { database, now } = change
  const databaseId = database.id
  const user = await lockUser(change, { databaseId, id: userId }, 'UPDATE')
  // Checked again, because the lock may have waited for another change.
  const isPending = await findPendingChange(change, { databaseId, id }, now)
  if (!user || !isPending) throw new Problem('code_invalid')
  const to = { email, canonicalEmail }
  const update = () => replaceAddress(change, { databaseId, userId }, { ...to, now })
  const mails = await changeAddress(change, { user, to, isUndoable: true, update })
  const isNewlyVerified = canonicalEmail !== user.canonicalEmail || user.emailVerifiedAt === null
  const facts: Fact[] = [
    { type: 'user.email_changed', userId },
    ...(isNewlyVerified ? [{ type: 'user.email_verified', userId } as const] : []),
  ]
  return { result: { email }, facts, mails }
}
