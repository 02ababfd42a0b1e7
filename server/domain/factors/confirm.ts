import { randomUUID } from 'node:crypto'
import type { Confirmation, ConfirmedUser } from '@usher/contract'
import { hasPassword } from '../../store/queries/users.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { authenticate } from '../passwords/authenticate.js'
import { Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { acrOf, type Proven } from '../tokens/authentication.js'
import { type CompletedLogin, completeLogin, rememberLogin } from '../tokens/complete-login.js'

/** What a confirmation says: who was there, in which session, and what the user has proven. */
interface Confirmed extends Pick<Proven, 'amr'> {
  userId: string
  generation: number
  sessionId: string
  expiresAt: number
  /** The only thing that it confirms. Undefined: every change. */
  use?: string
}

const maxAgeSeconds = 600

/** What a confirmation is for. */
interface NewConfirmation {
  user: { id: string; generation: number }
  /** The `sid` of the session, or the `jti` of the token that may open it. */
  tokenId: string
  /** What the user has just proven. */
  amr: readonly string[]
  /** In milliseconds since the epoch. By default in 10 minutes. A change must not prolong the confirmation that it needed. */
  expiresAt?: number | undefined
  /** The only thing that it confirms. By default every change. */
  use?: string
}

/**
 * Returns a confirmation for changes in a session. A client sends it only to Usher: an access token would not do, because each
 * backend of the product sees it.
 */
export async function issueConfirmation(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { id }: Pick<Database, 'id'>,
  { user, tokenId, amr, ...given }: NewConfirmation,
): Promise<Confirmation> {
  const at = now()
  const { expiresAt = at + maxAgeSeconds * 1000, use } = given
  const value = signedValue(await findSecrets(id), 'confirmation', {
    userId: user.id,
    generation: user.generation,
    sessionId: tokenId,
    amr,
    expiresAt,
    ...(use && { use }),
  } satisfies Confirmed)
  return { value, maxAge: Math.max(0, Math.floor((expiresAt - at) / 1000)) }
}

/**
 * Returns what a confirmation of the user and the session of a request says.
 *
 * @param use what it must be for. By default every change
 * @throws {Problem} `step_up_required`
 */
export async function requireConfirmation(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { database, user, claims }: UserRequest,
  { text, use }: { text: string; use?: string | undefined },
): Promise<Pick<Confirmed, 'amr' | 'expiresAt'>> {
  const read = { purpose: 'confirmation', text, now: now() } as const
  const signed = readSignedValue<Confirmed>(await findSecrets(database.id), read)
  const isOf =
    signed?.value.userId === user.id &&
    signed.value.generation === user.generation &&
    signed.value.use === use &&
    signed.value.sessionId === sessionIdOf(claims)
  if (!isOf) throw new Problem('step_up_required')
  return signed.value
}

/**
 * Requires a confirmation of the second factor, if the user has one.
 *
 * @returns what the confirmation says. Undefined if there is none, and none is needed
 * @throws {Problem} `step_up_required`
 */
export async function confirmSecondFactor(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  request: UserRequest,
  confirmation: string | null | undefined,
) {
  const { database, user } = request
  const confirmed =
    confirmation == null ? undefined : await requireConfirmation(context, request, { text: confirmation })
  const hasFactor = database.secondFactor !== 'off' && user.needsSecondStep !== null
  if (hasFactor && (!confirmed || acrOf({ amr: confirmed.amr }) !== 'aal2'))
    throw new Problem('step_up_required')
  return confirmed
}

/** A login, and what the user has just proven: by default all that the token says. */
type ConfirmedLogin = CompletedLogin & { confirmed?: Pick<NewConfirmation, 'amr' | 'expiresAt'> }

/** Completes a login as {@link completeLogin}, and returns a confirmation with the token. */
export async function confirmedUser(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { tokenId = randomUUID(), confirmed, ...login }: ConfirmedLogin,
): Promise<ConfirmedUser> {
  const signedIn = await completeLogin(context, request, { ...login, tokenId })
  const { user, session, authentication } = login
  const { amr, expiresAt } = { ...authentication, ...confirmed }
  const confirmation = { user, tokenId: session?.id ?? tokenId, amr, expiresAt }
  return { ...signedIn, confirmation: await issueConfirmation(context, request.database, confirmation) }
}
/** How long after a login a user without a password can confirm a change. */
const recentSeconds = 600

/** What confirms a sensitive change. */
interface GivenConfirmation {
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

/** Verifies the password of the user of a token as {@link verifyPassword}, and remembers the network of the client. */
export async function provePassword(context: AppContext, request: UserRequest, password: string | undefined) {
  const authenticated = await verifyPassword(context, request, password)
  if (!authenticated) return undefined
  await rememberLogin(context, request, authenticated.network)
  return { amr: ['pwd'] }
}

/**
 * Verifies the password of the user of a token, under the throttle of logins.
 *
 * @returns undefined if the user has none
 * @throws {Problem} `too_many_attempts`; `validation_failed` if it is wrong or missing
 */
export async function verifyPassword(
  context: AppContext,
  request: UserRequest,
  password: string | undefined,
) {
  const { id, email } = request.user
  if (!(await hasPassword(context.store, { databaseId: request.database.id, id }))) return undefined
  const wrong = (code: 'required' | 'password_wrong', detail: string) =>
    validationFailed([{ path: 'password', code, detail }])
  if (password === undefined) throw wrong('required', 'is required')
  const canonicalEmail = requireCanonicalEmail(email)
  const authenticated = await authenticate(context, request, { id, canonicalEmail, password })
  if (!authenticated) throw wrong('password_wrong', 'is not the current password')
  return authenticated
}
