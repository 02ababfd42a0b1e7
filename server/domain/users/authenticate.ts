import { isForeignKeyViolation } from '../../store/errors.js'
import { findLogin } from '../../store/queries/login.js'
import { hasOtherNetwork, rememberNetwork } from '../../store/queries/networks.js'
import type { UserWithTenants } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { sendNotice } from '../notices/notice.js'
import { databaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { knownMilliseconds, wasSeen } from '../throttle/rules.js'
import { rehashPassword, restoreHashParameters, verifyPassword } from './verify-password.js'

export interface Authenticated {
  user: UserWithTenants
  /** When the user was read, in milliseconds since the epoch. A token must not have a later `iat`. */
  readAt: number
}

/** What a user logs in with. */
export interface Credentials {
  canonicalEmail: string
  password: string
}

/**
 * Verifies a user's password under the throttle. Counts and audits a failure. Replaces an outdated hash.
 *
 * @returns undefined after the same work for an unknown address, a wrong password and a disabled user
 * @throws {Problem} `too_many_attempts`; `unavailable`
 */
export async function authenticate(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  { canonicalEmail, password }: Credentials,
): Promise<Authenticated | undefined> {
  const { store, throttle, networkAllowance } = context
  const { database, caller } = request
  const databaseId = database.id
  const attempt = throttle.keys.attempt(databaseId, canonicalEmail, caller.clientAddress)
  const sources = throttle.keys.sources(databaseId, caller.clientAddress)
  let readAt = context.now()
  let userId: string | undefined
  const read = async () => {
    readAt = context.now()
    const login = await findLogin(store, { databaseId, canonicalEmail }, attempt)
    userId = login.user?.id
    return login
  }
  const subject = () => ({ databaseId, ...(userId ? { userId } : { account: pseudonym(attempt.address) }) })
  try {
    networkAllowance.assertLeft(database, sources)
    const { candidate, matches } = await throttle.guard({
      databaseId,
      attempt,
      client: caller,
      read,
      verify: ({ user }) => verifyPassword(context, database, { user, password, client: caller }),
    })
    const { user, networkKnownAt } = candidate
    if (user) restoreHashParameters(context, database, user)
    if (user && matches) {
      await rememberLogin(context, request, { user, network: attempt.network, networkKnownAt })
      await rehashPassword(context, request, { user, password })
      return { user, readAt }
    }
    audit(caller.log, 'login.failed', subject())
    await networkAllowance.countFailure(database, sources)
    return undefined
  } catch (error) {
    if (isForeignKeyViolation(error)) throw databaseDeleted(error)
    if (error instanceof Problem && error.code === 'too_many_attempts') {
      audit(caller.log, 'login.throttled', subject())
    }
    throw error
  }
}

/** Returns a pseudonym of an unknown email for audit lines, so that they show guesses across emails. */
const pseudonym = (address: Uint8Array) => Buffer.from(address).toString('base64url').slice(0, 16)

/**
 * Verifies the password of a logged-in user under the throttle of logins, so that a stolen token does not help to
 * guess it.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`
 */
export async function confirmPassword(context: AppContext, request: UserRequest, password: string) {
  const { id, email } = request.user
  const canonicalEmail = requireCanonicalEmail(email)
  const authenticated = await authenticate(context, request, { canonicalEmail, password })
  if (authenticated?.user.id !== id) throw new Problem('invalid_credentials')
}

const dayMilliseconds = 24 * 3_600_000

type Newcomer = Pick<UserWithTenants, 'id' | 'createdAt'>

/**
 * Records the network of a successful login, at most once a day, and notifies the user of a new one. A failure is only
 * logged. The first network of a user who has signed up within a day is not new.
 */
async function rememberLogin(
  context: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { user, network, networkKnownAt }: { user: Newcomer; network: Uint8Array; networkKnownAt: Date | null },
) {
  const { store, now } = context
  const databaseId = database.id
  const userId = user.id
  if (wasSeen(networkKnownAt, now(), dayMilliseconds)) return
  if (!wasSeen(networkKnownAt, now(), knownMilliseconds)) {
    const isWanted = async () =>
      !wasSeen(user.createdAt, now(), dayMilliseconds) ||
      (await hasOtherNetwork(store, { databaseId, userId, network }))
    await sendNotice(context, { database, caller }, { notice: 'new_network', userId, isWanted })
  }
  try {
    await rememberNetwork(store, { databaseId, userId, network }, new Date(now()))
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId }, 'the network of a login was not stored')
  }
}
