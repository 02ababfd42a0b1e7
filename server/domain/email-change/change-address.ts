import type { LockedUser } from '../../store/queries/changed-user.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import {
  findHolder,
  freeReserved,
  listReserved,
  reserveAddress,
} from '../../store/queries/reserved-addresses.js'
import type { Change } from '../change.js'
import { endOfCode } from '../codes/code.js'
import { mailMessage } from '../notices/mail-message.js'
import { noticeMessages } from '../notices/notice.js'

/** A change of the address of a locked user. */
export interface AddressChange {
  user: LockedUser
  to: Pick<LockedUser, 'email' | 'canonicalEmail'>
  /** Whether the former address gets a mail. It is reserved, and the mail has a code to undo the change, if it was verified. */
  isUndoable: boolean
  /** Stores the new address. */
  update: () => Promise<unknown>
}

/** The new address belongs to another user, or is reserved for one. */
export class AddressTaken extends Error {
  constructor(readonly isReserved: boolean) {
    super('the address is taken')
  }
}

/** Returns whether users of a database can undo a change: it sends mails, and account operations are on. */
export const hasUndo = ({
  appUrl,
  accountOperations,
}: {
  appUrl: string | null
  accountOperations: boolean
}) => appUrl !== null && accountOperations

/**
 * Changes the address of a locked user. A change back to a reserved address undoes the later changes. It reserves no
 * address, because a thief could undo it otherwise.
 *
 * @returns the mails to both addresses
 * @throws {AddressTaken}
 * @throws a unique violation (SQLSTATE 23505) if another user takes the address meanwhile
 */
export async function changeAddress(
  change: Change,
  { user, to: { email, canonicalEmail }, isUndoable, update }: AddressChange,
): Promise<readonly NewMessage[]> {
  const { database, now } = change
  const { id: databaseId } = database
  const key = { databaseId, userId: user.id }
  const isSame = canonicalEmail === user.canonicalEmail
  const reserved = await listReserved(change, key)
  const own = reserved.find((each) => each.canonicalEmail === canonicalEmail)
  // Before the update, which would wait for a user who takes the address, and could deadlock.
  const holder = isSame || own ? undefined : await findHolder(change, databaseId, canonicalEmail)
  if (holder) throw new AddressTaken(holder.isReserved)
  if (own) await freeReserved(change, key, own.number)
  // An address whose time has passed, and that waits for the sweep, is like any other one.
  const isBack =
    own !== undefined && reserved.some(({ number, until }) => number >= own.number && until > now)
  await update()
  if (isSame) return []
  const notices = noticeMessages(database, 'email_changed', {
    userId: user.id,
    recipient: email,
    // By the code, or the operator is responsible for it.
    isVerified: true,
    now,
  })
  if (!isUndoable) return notices
  // The mail has a code if the address is reserved under the id of the message.
  const type = 'email_change_undo'
  const mail = mailMessage({ databaseId, type, userId: user.id, recipient: user.email }, now)
  // An address that was never verified may belong to somebody else.
  if (!isBack && user.emailVerifiedAt !== null)
    await reserveAddress(change, {
      ...key,
      id: mail.id,
      email: user.email,
      canonicalEmail: user.canonicalEmail,
      number: (reserved.at(-1)?.number ?? 0) + 1,
      until: endOfCode(type, now),
      now,
    })
  return [mail, ...notices]
}
