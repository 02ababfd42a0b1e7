import type { ProblemCode } from '@usher/contract'
import { insertReturned, storeClaims } from '../../store/queries/returned-logins.js'
import { audit } from '../../telemetry/audit.js'
import { callbackUrl } from '../connections/connection.js'
import { requireConnection } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import { openConnectionSecret } from '../keys/master-key.js'
import { signedText } from '../keys/signed-text.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import { returnedCode } from '../providers/exchange-code.js'
import { identify } from '../providers/identify.js'
import {
  LimitedError,
  ProviderError,
  type ProviderErrorCode,
  withinTime,
} from '../providers/provider-fetch.js'
import type { DatabaseRequest } from '../request.js'
import { isRedirectAllowed } from './redirects.js'
import { countForged, requireAllowance, requireState } from './require-state.js'
import { returnedClaims } from './returned-claims.js'
import type { StartedAtProvider } from './state.js'

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
  const connection = await requireConnection(context, databaseId, login.connection)
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
