import { type Account, findLogin } from '../../store/queries/login.js'
import { hasPassword, type UserWithPassword } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { ifDatabaseDeleted, Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { confirmSecondFactor } from '../second-factor/confirmation.js'
import type { Proven } from '../tokens/authentication.js'
import { type CompletedLogin, rememberLogin } from './complete-login.js'
import { rehashPassword, restoreHashParameters, verifyPassword } from './verify-password.js'

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

/** How long after a login a user without a password can confirm a change. */
const recentSeconds = 600

/** What confirms a sensitive change. */
export interface GivenConfirmation {
  password?: string | undefined
  confirmation?: string | null | undefined
}

/**
 * Verifies that the user of a token is there. A user with a second factor needs a confirmation of it. A user with a password gives
 * it, here or for the confirmation, under the throttle of logins, so that a stolen token does not help to guess it. A user with
 * neither must have logged in recently.
 *
 * @returns what the user has proven
 * @throws {Problem} `step_up_required`; `too_many_attempts`; `validation_failed` if the password is wrong or missing;
 * `recent_login_required`
 */
export async function confirmUser(
  context: AppContext,
  request: UserRequest,
  { password, confirmation }: GivenConfirmation,
): Promise<Pick<Proven, 'amr'>> {
  const confirmed = await confirmSecondFactor(context, request, confirmation)
  if (confirmed?.amr.includes('pwd')) return confirmed
  const proven = await provePassword(context, request, password)
  if (proven) return { amr: [...new Set([...(confirmed?.amr ?? []), ...proven.amr])] }
  if (confirmed) return confirmed
  const { claims } = request
  if (context.now() - claims.proven.at > recentSeconds * 1000) throw new Problem('recent_login_required')
  return claims.proven
}

/**
 * Verifies the password of the user of a token, under the throttle of logins.
 *
 * @returns undefined if the user has none
 * @throws {Problem} `too_many_attempts`; `validation_failed` if it is wrong or missing
 */
export async function provePassword(context: AppContext, request: UserRequest, password: string | undefined) {
  const { id, email } = request.user
  if (!(await hasPassword(context.store, { databaseId: request.database.id, id }))) return undefined
  const wrong = (code: 'required' | 'password_wrong', detail: string) =>
    validationFailed([{ path: 'password', code, detail }])
  if (password === undefined) throw wrong('required', 'is required')
  const canonicalEmail = requireCanonicalEmail(email)
  const authenticated = await authenticate(context, request, { id, canonicalEmail, password })
  if (!authenticated) throw wrong('password_wrong', 'is not the current password')
  await rememberLogin(context, request, authenticated.network)
  return { amr: ['pwd'] }
}
