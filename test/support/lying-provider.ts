import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** What a provider says about a person. */
export type Person = { sub: string; [claim: string]: unknown }

export const ada: Person = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }

/** How a provider misbehaves in a test. */
export interface Lies {
  /** Replaces a response of a path, such as `/token`. */
  answer?: (path: string, response: ServerResponse) => boolean
  /** Changes what the ID token says. Undefined removes a claim. */
  claims?: { [claim: string]: unknown }
  /** Signs with a key that is not published, or not at all. */
  signature?: 'other key' | 'none' | 'hmac'
  /** Changes the discovery document. */
  discovery?: object
  /** The provider's clock is ahead by these seconds. */
  clockAhead?: number
  /** How a client has to send its secret, although the discovery document has both ways. */
  secretIn?: 'header' | 'form'
  /** Signs what the UserInfo endpoint returns, with these claims in addition. */
  signedUserInfo?: object
}

interface IssuedCode {
  person: Person
  clientId: string
  nonce: string | null
  challenge: string | null
  redirectUri: string
}

const newKey = async (kid: string, alg = 'ES256') => {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/**
 * Starts a provider on loopback that speaks OpenID Connect, and below `/api/v3` and `/login/oauth` as GitHub does. It accepts
 * any client, and lies as a test says.
 */
export async function startLyingProvider() {
  const codes = new Map<string, IssuedCode>()
  const tokens = new Map<string, IssuedCode>()
  const stranger = await newKey('stranger')
  let key = await newKey('first')
  let count = 0

  async function idToken({ person: { inUserInfo: _, ...person }, clientId, nonce }: IssuedCode) {
    const { lies, issuer } = provider
    const now = Math.floor(Date.now() / 1000) + (lies.clockAhead ?? 0)
    const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...person, ...lies.claims }
    const payload = Object.fromEntries(
      Object.entries(claims).filter(([, value]) => value != null),
    ) as JWTPayload
    const { kid, alg } = key
    if (lies.signature === 'none') {
      const parts = [{ alg: 'none', kid }, payload].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      return `${parts.join('.')}.`
    }
    if (lies.signature === 'hmac') {
      const secret = Buffer.from(JSON.stringify(key.jwk))
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(secret)
    }
    const signing = lies.signature === 'other key' ? stranger : key
    return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(signing.privateKey)
  }

  async function exchange(request: IncomingMessage) {
    const form = new URLSearchParams(await text(request))
    provider.exchanges.push({ form, headers: request.headers })
    const secretIn = request.headers.authorization ? 'header' : 'form'
    if (secretIn !== (provider.lies.secretIn ?? secretIn)) return { error: 'invalid_client' }
    const issued = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight = issued?.redirectUri === form.get('redirect_uri')
    if (!issued || !isRight || (issued.challenge && issued.challenge !== verified))
      return { error: request.url?.startsWith('/login') ? 'bad_verification_code' : 'invalid_grant' }
    const access_token = `access-${++count}`
    tokens.set(access_token, issued)
    return { access_token, token_type: 'Bearer', id_token: await idToken(issued) }
  }

  const documents: Record<string, (request: IncomingMessage) => object | Promise<object | string>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      userinfo_endpoint: `${provider.issuer}/userinfo`,
      jwks_uri: `${provider.issuer}/jwks`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...provider.lies.discovery,
    }),
    '/jwks': () => ({ keys: [key.jwk] }),
    '/token': exchange,
    '/login/oauth/access_token': exchange,
    '/userinfo': (request) => {
      const { person, clientId } = issuedOf(request)
      const claims = { ...(person.inUserInfo as object), sub: person.sub }
      const { signedUserInfo } = provider.lies
      if (!signedUserInfo) return claims
      const payload = { iss: provider.issuer, aud: clientId, ...claims, ...signedUserInfo }
      const { alg, kid, privateKey } = key
      return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
    },
    '/api/v3/user': (request) => ({ id: Number(personOf(request).sub), login: 'ada', name: 'Ada' }),
    '/api/v3/user/emails': (request) => personOf(request).emails as object,
  }
  const issuedOf = ({ headers }: IncomingMessage) =>
    tokens.get(headers.authorization?.replace('Bearer ', '') ?? '') as IssuedCode
  const personOf = (request: IncomingMessage) => issuedOf(request).person

  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    provider.requests.push(path)
    if (provider.lies.answer?.(path, response)) return
    const body = await documents[path.replace('/common/v2.0', '')]?.(request)
    if (typeof body === 'string')
      return response.writeHead(200, { 'content-type': 'application/jwt' }).end(body)
    const isError = body === undefined || ('error' in body && path === '/token')
    response
      .writeHead(isError ? 400 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = {
    origin,
    issuer: origin,
    lies: {} as Lies,
    /** Paths of the requests that it got. */
    requests: [] as string[],
    exchanges: [] as { form: URLSearchParams; headers: IncomingMessage['headers'] }[],
    async rotateKey(alg?: string) {
      key = await newKey(`key-${++count}`, alg)
    },
    /** Logs a person in, as a browser does at the URL of `startLogin`. Returns the URL of the callback. */
    authorize(url: string, person: Person = ada) {
      const query = new URL(url).searchParams
      const code = `code-${++count}`
      codes.set(code, {
        person,
        clientId: query.get('client_id') ?? '',
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge'),
        redirectUri: query.get('redirect_uri') ?? '',
      })
      const callback = new URL(query.get('redirect_uri') ?? '')
      callback.search = String(new URLSearchParams({ code, state: query.get('state') ?? '' }))
      return callback
    },
    /** Returns an ID token, as an app on a phone gets it. */
    idToken: (clientId: string, nonce: string, person: Person = ada) =>
      idToken({ person, clientId, nonce, challenge: null, redirectUri: '' }),
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return provider
}

export type LyingProvider = Awaited<ReturnType<typeof startLyingProvider>>
