import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import {
  type Account,
  createAccounts,
  type ProviderClient,
  type Return,
  returned,
  type TestPerson,
} from './provider-accounts.js'
import { peoplePage, postingPage, rejectionPage } from './provider-pages.js'

type Answer = { json: unknown; status?: number } | { html: string; status?: number } | { location: string }

const paths = {
  discovery: '/.well-known/openid-configuration',
  keys: '/keys',
  userinfo: '/userinfo',
  cancel: '/cancel',
  // Those of GitHub, which has no discovery.
  authorize: '/login/oauth/authorize',
  token: '/login/oauth/access_token',
  profile: '/api/v3/user',
  emails: '/api/v3/user/emails',
}

const sent = ({ redirectUri, parameters, isPosted }: Return): Answer =>
  isPosted
    ? { html: postingPage(redirectUri, parameters) }
    : { location: `${redirectUri}?${new URLSearchParams(parameters)}` }

/** Returns why a provider rejects a login (RFC 6749, section 4.1.2.1: it does not return then). */
function rejection(query: URLSearchParams, { clientId, accepts }: ProviderClient) {
  if (query.get('client_id') !== clientId) return 'The client is not known.'
  if (!accepts(query.get('redirect_uri') ?? '')) return 'The redirect URI is not that of the client.'
  return query.get('response_type') === 'code' ? undefined : 'The response type must be "code".'
}

/**
 * Starts an OpenID provider on loopback, which also has the endpoints of GitHub. Its page lists the people, and each logs in with
 * one click.
 */
export async function startProvider(people: readonly TestPerson[], client: ProviderClient) {
  const accounts = createAccounts(people, client)
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256', use: 'sig' }

  const authorize = (url: URL): Answer => {
    const problem = rejection(url.searchParams, client)
    if (problem) return { status: 400, html: rejectionPage(problem) }
    const account = accounts.find(url.searchParams.get('login_hint'))
    if (account) return sent(accounts.logIn(account, url.searchParams))
    return { html: peoplePage({ title: client.title, people, url, cancelPath: paths.cancel }) }
  }

  async function exchange(request: IncomingMessage): Promise<Answer> {
    const grant = accounts.exchange(new URLSearchParams(await text(request)))
    if (!grant) return { status: 400, json: { error: 'invalid_grant' } }
    const idToken = await new SignJWT({ ...grant.account, nonce: grant.nonce })
      .setProtectedHeader({ alg: key.alg, kid: key.kid })
      .setIssuer(origin)
      .setAudience(client.clientId)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey)
    return { json: { access_token: grant.token, token_type: 'Bearer', expires_in: 600, id_token: idToken } }
  }

  /** Responds with what is known of the person of an access token. */
  const personal =
    (read: (account: Account) => unknown) =>
    (request: IncomingMessage): Answer => {
      const account = accounts.byToken(request)
      return account ? { json: read(account) } : { status: 401, json: { error: 'invalid_token' } }
    }

  const endpoints: Record<string, (request: IncomingMessage, url: URL) => Answer | Promise<Answer>> = {
    [paths.discovery]: () => ({ json: discoveryDocument(origin) }),
    [paths.keys]: () => ({ json: { keys: [key] } }),
    [paths.authorize]: (_request, url) => authorize(url),
    [paths.cancel]: (_request, { searchParams }) => sent(returned(searchParams, { error: 'access_denied' })),
    [paths.token]: exchange,
    [paths.userinfo]: personal((account) => account),
    [paths.profile]: personal(({ sub, name }) => ({ id: Number(sub), name })),
    [paths.emails]: personal(({ email, email_verified: verified }) =>
      email === undefined ? [] : [{ email, verified, primary: true }],
    ),
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', origin)
    const answer = await endpoints[url.pathname]?.(request, url)
    send(response, answer ?? { status: 404, json: { error: 'not_found' } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /**
     * Returns how a person returns from a URL of `startLogin`, or somebody who cancels.
     *
     * @throws {TypeError} if it rejects the login, or does not know the person
     */
    returnFrom(url: string, hint: string | undefined): Return {
      const query = new URL(url).searchParams
      const problem = rejection(query, client)
      if (problem) throw new TypeError(problem)
      if (hint === undefined) return returned(query, { error: 'access_denied' })
      const account = accounts.find(hint)
      if (!account) throw new TypeError(`The provider has no person "${hint}".`)
      return accounts.logIn(account, query)
    },
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const discoveryDocument = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: origin + paths.authorize,
  token_endpoint: origin + paths.token,
  userinfo_endpoint: origin + paths.userinfo,
  jwks_uri: origin + paths.keys,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: ['client_secret_post'],
})

function send(response: ServerResponse, answer: Answer) {
  if ('location' in answer) response.writeHead(303, { location: answer.location }).end()
  else if ('html' in answer)
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/html; charset=utf-8' }).end(answer.html)
  else
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.json))
}
