import { type ProblemCode, problems } from '@usher/contract'
import type { FetchInit, TokenStore } from '@usher/sdk'

type Handler = (init: FetchInit) => Response | Promise<Response>

/** Returns a `fetch` that uses one handler per request, in order, and records the requests. */
export function stubFetch(...handlers: Handler[]) {
  const requests: (FetchInit & { url: string })[] = []
  const fetch = async (url: string, init: FetchInit) => {
    const handler = handlers[requests.length]
    requests.push({ url, ...init })
    if (!handler) throw new Error(`no handler for request ${requests.length}`)
    return handler(init)
  }
  return { fetch, requests }
}

export const app = { baseUrl: 'https://users.example.com', workspace: 'demo', database: 'app' }
/** Options of a client that sends a token with the operations that need one. */
export const withToken = { ...app, token: 'jwt' }
export const credentials = { email: 'ada@example.com', password: 'correct horse battery' }

const json = (status: number, body: unknown, headers: HeadersInit = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })

export const signedIn = (jwt: string, status = 200) =>
  json(status, {
    id: '019a5d3c-7b1e-7c53-8f11-9d5c2f6b7a10',
    tenants: [],
    token: { jwt, maxAge: 3600, type: 'ACCESS_TOKEN' },
  })

export const ada = {
  id: '019a5d3c-7b1e-7c53-8f11-9d5c2f6b7a10',
  email: 'ada@example.com',
  preferredName: null,
  emailVerified: false,
  tenants: [],
  memberships: [],
  createdAt: '2026-03-01T12:00:00.000Z',
}

export const user = () => json(200, ada)

export const problem = (code: ProblemCode, headers: HeadersInit = {}, fields: object = {}) =>
  json(
    problems[code].status,
    {
      type: `https://users.example.com/problems/${code}`,
      title: problems[code].title,
      status: problems[code].status,
      detail: `${problems[code].title}, just now.`,
      instance: '/somewhere',
      code,
      requestId: 'request-1',
      ...fields,
    },
    headers,
  )

/** Returns the response of a proxy that cannot reach Usher. */
export const proxyPage = (status: number) =>
  new Response('<h1>Bad gateway</h1>', { status, headers: { 'Content-Type': 'text/html' } })

export const networkFailure = (): never => {
  throw new TypeError('fetch failed')
}

/** Never responds. Rejects when aborted, as `fetch` does. */
export const silence = ({ signal }: FetchInit) =>
  new Promise<Response>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** Returns a store of tokens in memory, and its items. */
export function memoryStore() {
  const items = new Map<string, string>()
  const store: TokenStore = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  return { items, store }
}
