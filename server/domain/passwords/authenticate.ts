import { recordDummyHash } from '../../store/queries/hash-parameters.js'
import { type Account, findLogin } from '../../store/queries/login.js'
import { replacePasswordHash, type UserWithPassword } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import type { Caller, Client } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { ClientDisconnected, ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import type { CompletedLogin } from '../tokens/complete-login.js'
import { dummyHashOf } from './formats/read-hash.js'
import type { Hasher } from './hasher.js'

/** A user whose password was verified. */
export type Authenticated = Required<Pick<CompletedLogin, 'readAt' | 'network'>> & { user: UserWithPassword }

/** What a user logs in with. The throttle counts attempts by address. */
export type Credentials = Account & { canonicalEmail: string; password: string }

type Request = Pick<DatabaseRequest, 'database' | 'caller'>

/**
 * Verifies a user's password under the throttle. Counts and audits a failure. Replaces an outdated hash.
 *
 * @returns undefined after the same work for an unknown address, a wrong password, a user without one, and a disabled user
 * @throws {Problem} `too_many_attempts`; `unavailable`
 */
export async function authenticate(
  context: AppContext,
  request: Request,
  { password, ...account }: Credentials,
): Promise<Authenticated | undefined> {
  const { database, caller } = request
  const attempted = await attemptLogin(context, request, {
    account,
    verify(user) {
      if (user) restoreHashParameters(context, database, user)
      return verifyPassword(context, database, { user, password, client: caller })
    },
  })
  if (!attempted?.user) return undefined
  const { user, readAt, network, knownAt } = attempted
  await rehashPassword(context, request, { user, password })
  return { user, readAt, network: { user, network, knownAt } }
}

/** An attempt to log in, by a password or by the digits of a mail. */
export interface LoginAttempt {
  account: Account & { canonicalEmail: string }
  /** Returns whether what the client has sent is right. Throws only if it has verified nothing: then the attempt does not count. */
  verify: (user: UserWithPassword | undefined) => Promise<boolean>
}

/**
 * Reads a user and verifies an attempt under the throttle. Counts and audits a failure.
 *
 * @returns undefined after a failure
 * @throws {Problem} `too_many_attempts`; `unavailable`
 */
export const attemptLogin = (context: AppContext, request: Request, attempt: LoginAttempt) =>
  attemptOnce(context, request, attempt).catch(ifDatabaseDeleted())

async function attemptOnce(context: AppContext, { database, caller }: Request, attempted: LoginAttempt) {
  const { store, throttle, networkAllowance } = context
  const { account, verify } = attempted
  const databaseId = database.id
  const attempt = throttle.keys.attempt(databaseId, account.canonicalEmail, caller.clientAddress)
  const sources = throttle.keys.sources(databaseId, caller.clientAddress)
  const subject = (user?: { id: string }) => ({
    databaseId,
    ...(user ? { userId: user.id } : { account: pseudonym(attempt.address) }),
  })
  const throttled = (problem: Problem, user?: { id: string }) => {
    audit(caller.log, 'login.throttled', subject(user))
    return problem
  }
  const usedUp = networkAllowance.refusal(database, sources)
  if (usedUp) throw throttled(usedUp)
  const { candidate, matches, refusal } = await throttle.guard({
    databaseId,
    attempt,
    client: caller,
    read: async () => ({
      readAt: context.now(),
      ...(await findLogin(store, { databaseId, ...account }, attempt)),
    }),
    verify: ({ user }) => verify(user),
  })
  const { user, readAt, networkKnownAt: knownAt } = candidate
  if (refusal) throw throttled(refusal, user)
  if (matches) return { user, readAt, network: attempt.network, knownAt }
  audit(caller.log, 'login.failed', subject(user))
  await networkAllowance.countFailure(database, sources)
  return undefined
}

/** Returns a pseudonym of an unknown email for audit lines, so that they show guesses across emails. */
const pseudonym = (address: Uint8Array) => Buffer.from(address).toString('base64url').slice(0, 16)

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
function restoreHashParameters(
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
async function rehashPassword(
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
