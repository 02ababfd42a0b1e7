import { type Account, findLogin } from '../../store/queries/login.js'
import type { UserWithPassword } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { type CompletedLogin, rememberLogin } from './complete-login.js'
import { rehashPassword, restoreHashParameters, verifyPassword } from './verify-password.js'

/** A user whose password was verified. */
export type Authenticated = Required<Omit<CompletedLogin, 'event'>> & { user: UserWithPassword }

/** What a user logs in with. The throttle counts attempts by address. */
export type Credentials = Account & { canonicalEmail: string; password: string }

type Request = Pick<DatabaseRequest, 'database' | 'caller'>

/**
 * Verifies a user's password under the throttle. Counts and audits a failure. Replaces an outdated hash.
 *
 * @returns undefined after the same work for an unknown address, a wrong password and a disabled user
 * @throws {Problem} `too_many_attempts`; `unavailable`
 */
export const authenticate = (
  context: AppContext,
  request: Request,
  credentials: Credentials,
): Promise<Authenticated | undefined> =>
  attemptLogin(context, request, credentials).catch(ifDatabaseDeleted())

async function attemptLogin(context: AppContext, { database, caller }: Request, credentials: Credentials) {
  const { store, throttle, networkAllowance } = context
  const { canonicalEmail, password } = credentials
  const databaseId = database.id
  const attempt = throttle.keys.attempt(databaseId, canonicalEmail, caller.clientAddress)
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
      ...(await findLogin(store, { databaseId, ...credentials }, attempt)),
    }),
    verify: ({ user }) => verifyPassword(context, database, { user, password, client: caller }),
  })
  const { user, readAt, networkKnownAt: knownAt } = candidate
  if (refusal) throw throttled(refusal, user)
  if (user) restoreHashParameters(context, database, user)
  if (user && matches) {
    await rehashPassword(context, { database, caller }, { user, password })
    return { user, readAt, network: { user, network: attempt.network, knownAt } }
  }
  audit(caller.log, 'login.failed', subject(user))
  await networkAllowance.countFailure(database, sources)
  return undefined
}

/** Returns a pseudonym of an unknown email for audit lines, so that they show guesses across emails. */
const pseudonym = (address: Uint8Array) => Buffer.from(address).toString('base64url').slice(0, 16)

/**
 * Verifies the password of a logged-in user under the throttle of logins, so that a stolen token does not help to
 * guess it.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`
 */
export async function confirmUser(context: AppContext, request: UserRequest, password: string) {
  const { id, email } = request.user
  const canonicalEmail = requireCanonicalEmail(email)
  const authenticated = await authenticate(context, request, { id, canonicalEmail, password })
  if (!authenticated) throw new Problem('invalid_credentials')
  await rememberLogin(context, request, authenticated.network)
}
