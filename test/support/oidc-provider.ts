import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A client of the provider. */
interface Registration {
  clientId: string
  redirectUri: string
  /** How the client sends its secret. */
  method: 'client_secret_basic' | 'client_secret_post' | 'none'
  secret: string | null
}

const kinds = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session']
const ttl = Object.fromEntries(kinds.map((kind) => [kind, 600]))

const person = { email: 'ada@example.com', email_verified: true, name: 'Ada' }

/** Returns the listener of an oidc-provider whose only person logs in without being asked. It requires PKCE. */
function listenerOf(
  issuer: string,
  { clientId, redirectUri, method, secret }: Registration,
): RequestListener {
  const client = {
    client_id: clientId,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: method,
    ...(secret && { client_secret: secret }),
  }
  const provider = new Provider(issuer, {
    clients: [client],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...person }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl,
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of the tests'] },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const serve = provider.callback()
  return (request, response) =>
    request.url?.startsWith('/interaction/')
      ? void provider.interactionFinished(request, response, { login: { accountId: 'ada' } })
      : serve(request, response)
}

/** Starts oidc-provider on loopback. It knows the client that was registered last. */
export async function startOidcProvider() {
  let listener: RequestListener = (_request, response) => response.writeHead(404).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    register(registration: Registration) {
      listener = listenerOf(origin, registration)
    },
    /** Follows the redirects from the URL of `startLogin`, as a browser does. Returns the URL of the callback. */
    async browse(url: string): Promise<URL> {
      const cookies = new Map<string, string>()
      let next = url
      while (next.startsWith(origin)) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const each of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
          cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (!location) throw new Error(`${response.status} ${await response.text()}`)
        next = new URL(location, next).href
      }
      return new URL(next)
    },
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
