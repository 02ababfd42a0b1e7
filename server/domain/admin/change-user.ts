import { CreateUserBody, type DatabasePath } from '@usher/contract'
import type { User } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import type { AppContext } from '../context.js'
import { passwordErrors } from '../passwords/policy.js'
import type { Throttle } from '../throttle/login-throttle.js'
import { recordHashParameters } from '../users/verify-password.js'
import { type Account, findAccount, shown, userNotFound } from './find-account.js'
import { OperatorError } from './operator-error.js'

type Change = (store: Store, path: DatabasePath, who: string, now: Date) => Promise<Account>

/** Refuses a user's logins and tokens. */
export const disableUser: Change = async (store, path, who, now) => {
  const { account } = await findAccount(store, path, who)
  return change(store, path, account, { disabledAt: account.disabledAt ?? now })
}

/** Takes a user's logins again, and the tokens from before that have not expired. */
export const enableUser: Change = async (store, path, who) => {
  const { account } = await findAccount(store, path, who)
  return change(store, path, account, { disabledAt: null })
}

/** Refuses the tokens that a user has; logging in gives a new one. */
export const revokeTokens: Change = async (store, path, who, now) => {
  const { account } = await findAccount(store, path, who)
  return change(store, path, account, { tokensValidAfter: now })
}

/**
 * Gives a user another password, held to the database's policy, and refuses the tokens from before.
 *
 * @throws {OperatorError} with what the policy has against the password
 */
export async function setPassword(
  context: Pick<AppContext, 'store' | 'hashing'>,
  path: DatabasePath,
  who: string,
  password: string,
  now: Date,
): Promise<Account> {
  const { store, hashing } = context
  const { database, account } = await findAccount(store, path, who)
  const faults = passwordErrors(database.passwordPolicy, password, account.email).map(({ detail }) => detail)
  const text = CreateUserBody.shape.password.safeParse(password)
  if (faults.length === 0 && text.error) faults.push(...text.error.issues.map(({ message }) => message))
  if (faults.length > 0) throw new OperatorError(`the password ${faults.join('; ')}`)
  const passwordHash = await hashing.hash(password)
  const changed = await change(store, path, account, { passwordHash, tokensValidAfter: now })
  await recordHashParameters(context, database)
  return changed
}

async function change(
  store: Store,
  path: DatabasePath,
  { databaseId, id }: Account,
  data: Partial<Pick<User, 'disabledAt' | 'tokensValidAfter' | 'passwordHash'>>,
) {
  const where = { databaseId, id }
  const [changed] = await store.prisma.user.updateManyAndReturn({ where, data, select: shown })
  if (!changed) throw userNotFound(path, id)
  return changed
}

/** Lets a user log in at once whose address was throttled. */
export async function unlockUser(store: Store, throttle: Throttle, path: DatabasePath, who: string) {
  const { database, account } = await findAccount(store, path, who)
  await throttle.unlock(database.id, account.canonicalEmail)
  const { canonicalEmail: _, ...user } = account
  return user satisfies Account
}

/** Deletes a user with memberships, failed logins and idempotency keys. The user's tenants stay. */
export async function deleteUser(store: Store, throttle: Throttle, path: DatabasePath, who: string) {
  const user = await unlockUser(store, throttle, path, who)
  await store.prisma.user.deleteMany({ where: { databaseId: user.databaseId, id: user.id } })
  return user
}
