import type { DatabasePath } from '@usher/contract'
import type { User } from '../../store/generated/client.js'
import { insertMessages, type NewMessage } from '../../store/queries/outbox.js'
import { revokeUserTokens } from '../../store/queries/users.js'
import type { Store } from '../../store/store.js'
import type { AppContext } from '../context.js'
import { type Event, type EventSource, eventMessages } from '../outbox/events.js'
import type { Throttle } from '../throttle/login-throttle.js'
import { recordHashParameters } from '../users/verify-password.js'
import { type Account, accountColumns, findAccount, userNotFound } from './find-account.js'
import { hashNewPassword } from './hash-new-password.js'

type Change = (store: Store, path: DatabasePath, userRef: string, now: Date) => Promise<Account>

export const disableUser: Change = async (store, path, userRef, now) => {
  const { database, account } = await findAccount(store, path, userRef)
  const messages = account.disabledAt ? [] : userEvent(database, 'user.disabled', account, now)
  return change(store, path, account, { disabledAt: account.disabledAt ?? now }, messages)
}

/** Accepts a user's logins again, and earlier tokens that have not expired and belong to no session. */
export const enableUser: Change = async (store, path, userRef, now) => {
  const { database, account } = await findAccount(store, path, userRef)
  const { databaseId, id: userId, disabledAt } = account
  // Not before: a request that had read the user as active may have opened a session since.
  if (disabledAt) {
    const where = { databaseId, userId, endedAt: null }
    await store.prisma.session.updateMany({ where, data: { endedAt: now } })
  }
  const messages = disabledAt ? userEvent(database, 'user.enabled', account, now) : []
  return change(store, path, account, { disabledAt: null }, messages)
}

const userEvent = (database: EventSource, type: Event['type'], { id }: Pick<Account, 'id'>, now: Date) =>
  eventMessages(database, now, [{ type, userId: id }])

export const revokeTokens: Change = async (store, path, userRef, now) => {
  const { account } = await findAccount(store, path, userRef)
  return revoke(store, path, account, now, [])
}

/** Also rejects earlier tokens. @throws {OperatorError} with the rules of the policy that the password violates */
export async function setPassword(
  context: Pick<AppContext, 'hashing' | 'blocklist'> & { store: Store },
  path: DatabasePath,
  userRef: string,
  password: string,
  now: Date,
): Promise<Account> {
  const { database, account } = await findAccount(context.store, path, userRef)
  const passwordHash = await hashNewPassword(context, database, password, account.email)
  await recordHashParameters(context, database)
  const messages = userEvent(database, 'user.password_changed', account, now)
  return revoke(context.store, path, account, now, messages, passwordHash)
}

/** Uses the later of the operator's and the store's clock, because servers may have issued tokens by either. */
async function revoke(
  store: Store,
  path: DatabasePath,
  { canonicalEmail: _, ...account }: Account & Pick<User, 'canonicalEmail'>,
  now: Date,
  messages: readonly NewMessage[],
  passwordHash?: string,
): Promise<Account> {
  const { databaseId, id } = account
  const tokensValidAfter = await revokeUserTokens(store, databaseId, { id }, now, passwordHash, messages)
  if (!tokensValidAfter) throw userNotFound(path, id)
  return { ...account, tokensValidAfter }
}

async function change(
  store: Store,
  path: DatabasePath,
  { databaseId, id }: Account,
  data: Pick<User, 'disabledAt'>,
  messages: readonly NewMessage[],
) {
  const where = { databaseId, id }
  return store.prisma.$transaction(async (transaction) => {
    const [changed] = await transaction.user.updateManyAndReturn({ where, data, select: accountColumns })
    if (!changed) throw userNotFound(path, id)
    await insertMessages(transaction, messages)
    return changed
  })
}

export async function unlockUser(store: Store, throttle: Throttle, path: DatabasePath, userRef: string) {
  const { database, account } = await findAccount(store, path, userRef)
  await throttle.unlock(database.id, account.canonicalEmail)
  const { canonicalEmail: _, ...user } = account
  return user satisfies Account
}

/** Deletes a user with memberships, failed logins and idempotency keys. The user's tenants stay. */
export async function deleteUser(
  store: Store,
  throttle: Throttle,
  path: DatabasePath,
  userRef: string,
  now: Date,
) {
  const { database, account } = await findAccount(store, path, userRef)
  const { canonicalEmail, ...user } = account
  await throttle.unlock(database.id, canonicalEmail)
  const messages = userEvent(database, 'user.deleted', user, now)
  await store.prisma.$transaction(async (transaction) => {
    const where = { databaseId: database.id, id: user.id }
    const { count } = await transaction.user.deleteMany({ where })
    if (count > 0) await insertMessages(transaction, messages)
  })
  return user satisfies Account
}
