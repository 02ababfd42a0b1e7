import { recordDummyHash } from '../../store/queries/hash-parameters.js'
import { replacePasswordHash, type UserWithPassword } from '../../store/queries/users.js'
import type { Caller, Client } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import type { Hasher } from '../passwords/hasher.js'
import { ClientDisconnected, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'

/** A password to verify. */
interface PasswordAttempt {
  user: Pick<UserWithPassword, 'passwordHash' | 'disabledAt'> | undefined
  password: string
  client: Client & Pick<Caller, 'log'>
}

/**
 * Returns whether an active user has this password. A user without one is like an unknown one. Every failure verifies one hash per set of hash parameters in
 * the database, so that response time does not reveal whether the account exists.
 *
 * @throws only if the first hash was not verified. An error after that is a wrong password, because a client that
 * disconnects in time must not get a guess that is not counted. The remaining dummy hashes are not verified then
 */
export async function verifyPassword(
  { hashing }: Pick<AppContext, 'hashing'>,
  database: Pick<Database, 'dummyHashes'>,
  { user, password, client }: PasswordAttempt,
): Promise<boolean> {
  const first = user?.passwordHash ?? hashing.dummyHash
  const matches = await hashing.verify(first, password, client)
  if (user && matches && !user.disabledAt) return true
  const dummyHashes = new Set([hashing.dummyHash, ...database.dummyHashes])
  dummyHashes.delete(dummyHashOf(first))
  try {
    for (const dummyHash of dummyHashes) await hashing.verify(dummyHash, password, client)
  } catch (error) {
    if (!(error instanceof Problem || error instanceof ClientDisconnected))
      client.log.warn({ err: error }, 'a dummy hash was not verified')
  }
  return false
}

/**
 * Records that the database has hashes with these parameters, unless it is already recorded.
 *
 * @param dummyHash the dummy hash of these parameters; the current one by default
 */
export async function recordHashParameters(
  { hashing, store }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  database: Pick<Database, 'id' | 'dummyHashes'>,
  dummyHash = hashing.dummyHash,
) {
  if (!database.dummyHashes.includes(dummyHash)) await recordDummyHash(store, database.id, dummyHash)
}

/**
 * Records the parameters of a user's hash again if they were pruned while the user was created. Does not wait, so
 * that response time does not reveal the account. If it fails, the next login attempt repeats it.
 */
export function restoreHashParameters(
  context: Pick<AppContext, 'store' | 'hashing'>,
  database: Pick<Database, 'id' | 'dummyHashes'>,
  { passwordHash }: Pick<UserWithPassword, 'passwordHash'>,
) {
  if (passwordHash === null) return
  recordHashParameters(context, database, dummyHashOf(passwordHash)).catch(() => undefined)
}

/**
 * Replaces an outdated hash, unless another login has done so since it was read. A failure is only logged, because the
 * old hash is still valid.
 */
export async function rehashPassword(
  context: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { user, password }: { user: Pick<UserWithPassword, 'id' | 'passwordHash'>; password: string },
) {
  const { hashing, store } = context
  const { id, passwordHash: former } = user
  if (former === null || !hashing.isOutdated(former)) return
  try {
    const passwordHash = await hashing.hash(password)
    await replacePasswordHash(store, { databaseId: database.id, id, passwordHash: former }, passwordHash)
    await recordHashParameters(context, database)
  } catch (error) {
    caller.log.warn(
      { err: error, databaseId: database.id, userId: user.id },
      'the password hash was not replaced',
    )
  }
}
