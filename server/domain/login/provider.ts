import type { ExternalLogin, ProblemCode, StartLoginBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { insertReturned, storeClaims } from '../../store/queries/login-attempts.js'
import { audit } from '../../telemetry/audit.js'
import { type Connection, callbackUrl } from '../connections/connection.js'
import { requireConnection } from '../connections/find-connections.js'
import { presets } from '../connections/presets.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import type { Secrets } from '../keys/database-secrets.js'
import { openConnectionSecret } from '../keys/master-key.js'
import { challengeOf, signedText, signedValue, verifySignedValue } from '../keys/signed-text.js'
import { ifDatabaseDeleted, Problem, validationFailed } from '../problem.js'
import { returnedCode } from '../providers/exchange-code.js'
import type { Provider } from '../providers/find-provider.js'
import { identify, type ProviderClaims } from '../providers/identify.js'
import {
  LimitedError,
  ProviderError,
  type ProviderErrorCode,
  withinTime,
} from '../providers/provider-fetch.js'
import type { DatabaseRequest } from '../request.js'

const loginMilliseconds = 600_000

/**
 * Starts a login at a provider. Stores nothing.
 *
 * @throws {Problem} `connection_not_found`; `validation_failed`; `provider_unavailable`
 */
export async function startLogin(
  context: AppContext,
  request: DatabaseRequest<StartLoginBody>,
): Promise<ExternalLogin> {
  const { database, body } = request
  const connection = await findProviderOf(context, database, body.connection)
  const redirectUrl = requireRedirect(database, body.redirectUrl)
  const { authorization } = await requireProvider(context, request, connection)
  const secrets = await context.findSecrets(database.id)
  const login = uuidv7()
  const expiresAt = context.now() + loginMilliseconds
  const { name } = connection
  const { challenge } = body
  const state = signState(secrets, { id: login, connection: name, redirectUrl, challenge, expiresAt })
  const known = readState(secrets, state) as LoginSecrets
  const url = authorizationUrl(authorization, {
    ...{ connection, state, known, loginHint: body.loginHint },
    redirectUri: callbackUrl(database.issuer, name),
  })
  return { login, url, state, nonce: known.nonce, expiresAt: new Date(expiresAt).toISOString() }
}

/** Returns a connection of the database by its name, or of one of its tenants by its id. @throws {Problem} `connection_not_found` */
const findProviderOf = async (
  context: AppContext,
  { id, singleSignOn }: Pick<RuleDatabase, 'id' | 'singleSignOn'>,
  name: string,
): Promise<Connection> =>
  (singleSignOn && (await context.findTenantConnection(id, name))) || requireConnection(context, id, name)

interface Authorization {
  connection: Connection
  state: string
  known: LoginSecrets
  redirectUri: string
  loginHint: string | undefined
}

/** Returns where to lead the browser (OpenID Connect Core, section 3.1.2.1). */
function authorizationUrl(
  endpoint: string,
  { connection, state, known: { nonce, pkceVerifier }, redirectUri, loginHint }: Authorization,
) {
  const { scopes, pkce, responseMode, endpoints } = presets[connection.preset]
  const wanted = connection.options.scopes ?? scopes
  const isOpenId = endpoints === undefined
  const parameters = {
    response_type: 'code',
    client_id: connection.clientId,
    redirect_uri: redirectUri,
    scope: [...new Set([...(isOpenId ? ['openid'] : []), ...wanted])].join(' '),
    state,
    ...(isOpenId && { nonce, ...(loginHint && { login_hint: loginHint }) }),
    ...(pkce && {
      code_challenge: challengeOf(pkceVerifier),
      code_challenge_method: 'S256',
    }),
    ...(responseMode && { response_mode: responseMode }),
  }
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const retrySeconds = 10

/** Returns the provider of a connection. @throws {Problem} `provider_unavailable`, also if the connection is set up wrongly */
export const requireProvider = (
  { providers }: Pick<AppContext, 'providers'>,
  request: Request,
  connection: Connection,
): Promise<Provider> =>
  withinTime(() => providers.find(connection)).catch((error) => {
    throw error instanceof ProviderError ? unavailableProvider(request, connection, error) : error
  })

/** Returns the problem of a provider that cannot be used. The reason is only logged. */
export function unavailableProvider(
  { database, caller }: Request,
  connection: Connection,
  cause: ProviderError,
) {
  const ids = { databaseId: database.id, connection: connection.name }
  caller.log.warn({ ...ids, reason: cause.message }, 'the provider of a connection cannot be used')
  return new Problem('provider_unavailable', { cause, retryAfterSeconds: retrySeconds })
}

// An unfinished login is not stored. `state` contains it, signed: `payload.mac`. Nonce and PKCE verifier are MACs of its id with
// the same secret, so every server knows them, and nobody who reads the state.

/** A login that has started at a provider. */
interface LoginState {
  id: string
  connection: string
  redirectUrl: string
  /** SHA-256 of the verifier, which only the client that started the login has. */
  challenge: string
  /** In milliseconds since the epoch. */
  expiresAt: number
}

/** What only the server and the provider know of a login. */
interface LoginSecrets {
  nonce: string
  pkceVerifier: string
}

type StartedAtProvider = LoginState & LoginSecrets

/** Returns the state of a login. */
const signState = (secrets: Pick<Secrets, 'sign'>, state: LoginState) =>
  signedValue(secrets, 'login_state', state)

/** Returns the login of a state with its secrets, even if it has expired. Returns undefined if the database has not signed it. */
function readState(secrets: Pick<Secrets, 'signAll'>, text: string): StartedAtProvider | undefined {
  const signed = verifySignedValue<LoginState>(secrets, 'login_state', text)
  if (!signed) return undefined
  const { value, place } = signed
  const secretOf = (purpose: 'login_nonce' | 'login_pkce') => secrets.signAll(purpose, value.id)[place] ?? ''
  return { ...value, nonce: secretOf('login_nonce'), pkceVerifier: secretOf('login_pkce') }
}

type Redirecting = Pick<RuleDatabase, 'loginRedirects' | 'appUrl'>

/** Returns the URLs to which a login at a provider may return, the default one first. */
const redirectsOf = ({ loginRedirects, appUrl }: Redirecting) =>
  loginRedirects.length > 0 || appUrl === null ? loginRedirects : [`${appUrl}/login`]

/** The addresses at which a native app listens, on a port that its system chooses (RFC 8252, section 7.3). */
const anyPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=\/|\?|$)/

const withoutPort = (url: string) => url.replace(anyPort, '$1')

/** Returns whether a login may return to a URL: exactly one of the list, except for the port of a loopback address. */
const isRedirectAllowed = (database: Redirecting, url: string) =>
  redirectsOf(database).some((allowed) => withoutPort(allowed) === withoutPort(url)) && URL.canParse(url)

/** Returns the URL to which a login returns, by default the first one. @throws {Problem} `validation_failed` */
function requireRedirect(database: Redirecting, url: string | null | undefined): string {
  const chosen = url ?? redirectsOf(database)[0]
  if (chosen !== undefined && isRedirectAllowed(database, chosen)) return chosen
  const detail =
    chosen === undefined
      ? 'is required, because the database has neither login redirects nor an app URL'
      : 'must be exactly one of the login redirects of the database'
  throw validationFailed([{ path: 'redirectUrl', code: 'invalid_type', detail }])
}

/** What a browser brings back from a provider. */
export interface ProviderReturn extends Pick<DatabaseRequest, 'database' | 'caller'> {
  /** Name of the connection in the path. */
  connection: string
  parameters: URLSearchParams
}

/** `error` in the URL of the app. */
const loginErrors = [
  'access_denied',
  'code_invalid',
  'connection_not_found',
  'provider_invalid',
  'provider_unavailable',
  'too_many_attempts',
] as const satisfies (ProviderErrorCode | ProblemCode)[]
type LoginError = (typeof loginErrors)[number]

const isLoginError = (code: unknown): code is LoginError => loginErrors.some((each) => each === code)

/**
 * Ends a login at a provider: stores who has logged in, and returns the URL of the app, with a code for `finishLogin` or with an
 * error. The code logs in only with the verifier of the client that has started the login.
 *
 * @throws {Problem} `code_invalid` if the database has not started the login; `too_many_attempts`
 */
export async function returnFromProvider(context: AppContext, request: ProviderReturn): Promise<string> {
  const login = await requireReturned(context, request)
  const url = new URL(login.redirectUrl)
  try {
    const code = await receive(context, request, login).catch(ifDatabaseDeleted())
    url.hash = `code=${code}`
  } catch (error) {
    url.hash = `error=${await errorOf(context, request, error)}&login=${login.id}`
  }
  return url.href
}

async function requireReturned(context: AppContext, request: ProviderReturn): Promise<StartedAtProvider> {
  const { database, connection, parameters } = request
  const [state = '', ...others] = parameters.getAll('state')
  return requireState(context, request, {
    state,
    // The state of another connection would bring the code of one provider to another one.
    isAccepted: (login) =>
      others.length === 0 &&
      login.connection === connection &&
      isRedirectAllowed(database, login.redirectUrl),
  })
}

/** Returns the code of a login. Its row is stored before the provider gets its code, so that a state returns once. */
async function receive(
  context: AppContext,
  request: ProviderReturn,
  { id, challenge, expiresAt, ...login }: StartedAtProvider,
) {
  const { store, now, providers, findSecrets } = context
  const { database, parameters } = request
  const databaseId = database.id
  requireAllowance(context, request)
  const connection = await findProviderOf(context, database, login.connection)
  const { sealedSecret, name } = connection
  const key = { databaseId, id }
  const row = { ...key, challenge, connection: name, expiresAt: new Date(expiresAt) }
  const claims = await withinTime(async (signal) => {
    const code = returnedCode(await providers.find(connection), parameters)
    if (now() >= expiresAt || !(await insertReturned(store, row))) throw new Problem('code_invalid')
    return identify(providers, {
      ...login,
      code,
      connection,
      redirectUri: callbackUrl(database.issuer, name),
      secret: sealedSecret ? openConnectionSecret(store, sealedSecret, { databaseId, name }) : undefined,
      user: parameters.get('user'),
      signal,
    })
  })
  await storeClaims(store, key, returnedClaims(claims, now()))
  return signedText(await findSecrets(databaseId), { purpose: 'external_code', id })
}

/**
 * Logs why a login has failed, and returns what the page of the app learns. A code that the provider rejects counts as a failure of
 * the network, also if it looks at no more codes: whoever guesses codes would store a row with each.
 *
 * @throws what is no failure of the login
 */
async function errorOf(context: AppContext, request: ProviderReturn, error: unknown): Promise<LoginError> {
  const { database, caller, connection } = request
  const ids = { databaseId: database.id, connection }
  const code = error instanceof ProviderError || error instanceof Problem ? error.code : undefined
  if (!isLoginError(code)) throw error
  audit(caller.log, 'login.failed', { ...ids, way: 'external' })
  if (error instanceof ProviderError && code !== 'access_denied')
    caller.log.warn({ ...ids, reason: error.message }, 'a login at a provider has failed')
  if (code === 'code_invalid' || error instanceof LimitedError) await countForged(context, request)
  return code
}

type Request = Pick<DatabaseRequest, 'database' | 'caller'>

/** A state that a client has brought. */
interface PresentedState {
  state: string
  /** Whether the login may return here. */
  isAccepted?: (login: StartedAtProvider) => boolean
}

/**
 * Returns a login that the database has started, also if it has expired. Anybody can bring a state: one that the database has not
 * signed counts as a failure of the network.
 *
 * @throws {Problem} `code_invalid`; `too_many_attempts`
 */
export async function requireState(
  context: AppContext,
  request: Request,
  { state, isAccepted = () => true }: PresentedState,
): Promise<StartedAtProvider> {
  const login = readState(await context.findSecrets(request.database.id), state)
  if (login && isAccepted(login)) return login
  requireAllowance(context, request)
  audit(request.caller.log, 'login.failed', { databaseId: request.database.id, way: 'external' })
  await countForged(context, request)
  throw new Problem('code_invalid')
}

/** @throws {Problem} `too_many_attempts` if the network of the client has failed too often */
export function requireAllowance({ networkAllowance, throttle }: AppContext, { database, caller }: Request) {
  const sources = throttle.keys.sources(database.id, caller.clientAddress)
  const refusal = networkAllowance.refusal(database, sources)
  if (refusal) throw refusal
}

/** Counts a failure of the network of the client. */
export const countForged = ({ networkAllowance, throttle }: AppContext, { database, caller }: Request) =>
  networkAllowance
    .countFailure(database, throttle.keys.sources(database.id, caller.clientAddress))
    .catch(ifDatabaseDeleted())

/** How long a login that has returned can be finished. */
const finishMilliseconds = 600_000

/** Returns what is stored of the claims of a login that has returned. */
export const returnedClaims = (claims: ProviderClaims, now: number) => ({
  claims,
  expiresAt: new Date(now + finishMilliseconds),
})
