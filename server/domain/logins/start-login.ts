import type { ExternalLogin, StartLoginBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { type Connection, callbackUrl } from '../connections/connection.js'
import { requireConnection } from '../connections/find-connections.js'
import { presets } from '../connections/presets.js'
import type { AppContext } from '../context.js'
import { challengeOf } from '../keys/signed-text.js'
import type { DatabaseRequest } from '../request.js'
import { requireRedirect } from './redirects.js'
import { requireProvider } from './require-provider.js'
import { type LoginSecrets, readState, signState } from './state.js'

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
  const connection = await requireConnection(context, database.id, body.connection)
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
    ...{ connection, state, known },
    redirectUri: callbackUrl(database.issuer, name),
  })
  return { login, url, state, nonce: known.nonce, expiresAt: new Date(expiresAt).toISOString() }
}

interface Authorization {
  connection: Connection
  state: string
  known: LoginSecrets
  redirectUri: string
}

/** Returns where to lead the browser (OpenID Connect Core, section 3.1.2.1). */
function authorizationUrl(
  endpoint: string,
  { connection, state, known: { nonce, pkceVerifier }, redirectUri }: Authorization,
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
    ...(isOpenId && { nonce }),
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
