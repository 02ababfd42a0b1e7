import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test as base, expect, vi } from 'vitest'
import { createProviders } from '../../server/domain/providers/find-provider.js'
import {
  createProviderFetch as createFetch,
  withinTime,
} from '../../server/domain/providers/provider-fetch.js'
import { createPublicLookup, requirePublicHost } from '../../server/domain/public-address.js'

/** Creates a function that sends requests for private issuers. */
function createProviderFetch(privateIssuers: readonly string[]) {
  const fetch = createFetch(privateIssuers)
  return (request: Omit<Parameters<typeof fetch>[0], 'isPrivate'>) => fetch({ isPrivate: true, ...request })
}

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

const ok: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')

/** Starts a server that responds as a test says. */
async function startServer() {
  const started = { answer: ok, sockets: new Set<unknown>(), origin: '' }
  const server = createServer((request, response) => {
    started.sockets.add(request.socket)
    started.answer(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  started.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { started, close }
}

const it = base
  .extend('server', async ({ task: _ }, { onCleanup }) => {
    const { started, close } = await startServer()
    onCleanup(close)
    return started
  })
  // A server with another origin.
  .extend('other', async ({ task: _ }, { onCleanup }) => {
    const { started, close } = await startServer()
    onCleanup(close)
    return started
  })
  .extend('timers', async ({ task: _ }, { onCleanup }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onCleanup(() => void vi.useRealTimers())
    return vi
  })

it('gives a request up after five seconds, also if the body comes slowly', async ({ server, timers }) => {
  const fetch = createProviderFetch([server.origin])
  const json = { 'content-type': 'application/json' }
  const slow: Answer[] = [() => undefined, (response) => response.writeHead(200, json).write('{')]
  for (const answer of slow) {
    const received = new Promise<void>((resolve) => {
      server.answer = (response, request) => {
        answer(response, request)
        resolve()
      }
    })
    const request = fetch({ url: server.origin })
    let isWaiting = true
    request.catch(() => {
      isWaiting = false
    })
    await received
    await timers.advanceTimersByTimeAsync(4_900)
    expect(isWaiting).toBe(true)
    await timers.advanceTimersByTimeAsync(100)
    await expect(request).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: `${server.origin} has not responded in time`,
    })
  }
})

it('gives the requests of a login up after ten seconds together', async ({ server, timers }) => {
  const fetch = createProviderFetch([server.origin])
  let signal: AbortSignal | undefined
  const login = withinTime(async (given) => {
    signal = given
    for (;;) {
      await timers.advanceTimersByTimeAsync(3_000)
      await fetch({ url: server.origin, signal: given })
    }
  })
  await expect(login).rejects.toMatchObject({
    code: 'provider_unavailable',
    message: 'the provider has not responded within 10 s',
  })
  expect(signal?.aborted).toBe(true)
})

it('lets a login of another database through while 140 logins of one wait for seven slow providers', async ({
  server,
}) => {
  const slow = await Promise.all(Array.from({ length: 7 }, startServer))
  const waiting: ServerResponse[] = []
  for (const { started } of slow) started.answer = (response) => waiting.push(response)
  const fetch = createProviderFetch([server.origin, ...slow.map(({ started }) => started.origin)])
  const requests = slow.flatMap(({ started: { origin: url } }) =>
    Array.from({ length: 20 }, () => fetch({ url, databaseId: 'one' })),
  )
  // A share of each database.
  await vi.waitFor(() => expect(waiting).toHaveLength(16))
  expect(await fetch({ url: server.origin, databaseId: 'another' })).toMatchObject({ status: 200 })
  expect(await fetch({ url: server.origin })).toMatchObject({ status: 200 })
  // A share of each provider, in which the database with the fewest requests is next.
  const [first] = slow
  const url = first?.started.origin ?? ''
  requests.push(...Array.from({ length: 20 }, () => fetch({ url, databaseId: 'another' })))
  await vi.waitFor(() => expect(waiting).toHaveLength(16))
  for (const { started } of slow) started.answer = ok
  for (const response of waiting) ok(response, {} as IncomingMessage)
  await Promise.all(requests)
  await Promise.all(slow.map(({ close }) => close()))
})

it('sends no request of a login that was given up while it waited', async ({ server }) => {
  const fetch = createProviderFetch([server.origin])
  const waiting: ServerResponse[] = []
  server.answer = (response) => waiting.push(response)
  const requests = Array.from({ length: 16 }, () => fetch({ url: server.origin }))
  const login = new AbortController()
  const late = fetch({ url: server.origin, signal: login.signal })
  late.catch(() => undefined)
  await vi.waitFor(() => expect(waiting).toHaveLength(16))
  login.abort()
  for (const response of waiting) ok(response, {} as IncomingMessage)
  await Promise.all(requests)
  await expect(late).rejects.toThrow()
  expect(waiting).toHaveLength(16)
})

it('uses a connection again', async ({ server }) => {
  const fetch = createProviderFetch([server.origin])
  for (let count = 0; count < 3; count++) await fetch({ url: server.origin })
  expect(server.sockets.size).toBe(1)
})

it('returns the JSON of an error, which says why a provider rejects a request', async ({ server }) => {
  const fetch = createProviderFetch([server.origin])
  server.answer = (response) =>
    response
      .writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
      .end('{"error":"invalid_grant"}')
  expect(await fetch({ url: server.origin })).toEqual({ status: 400, body: { error: 'invalid_grant' } })
})

const documentOf = (issuer: string, origin: string): Answer => {
  const endpoint = `${origin}/endpoint`
  const document = {
    issuer,
    ...{ authorization_endpoint: endpoint, token_endpoint: endpoint, jwks_uri: endpoint },
  }
  return (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

it('says what to correct if an issuer is not the one of its discovery document', async ({ server }) => {
  const { find } = createProviders({ privateIssuers: [server.origin] })
  server.answer = documentOf(`${server.origin}/other`, server.origin)
  await expect(find({ preset: 'oidc', issuer: server.origin })).rejects.toThrow(
    `the discovery document of ${server.origin} has another issuer, which may be the right one: ${server.origin}/other`,
  )
  const other = `${server.origin}/other`
  expect(await find({ preset: 'oidc', issuer: other })).toMatchObject({ secretMethods: ['header'] })
})

it('sends requests only to the private issuers that are allowed, and to their endpoints', async ({
  server,
}) => {
  const acme = `${server.origin}/realms/acme`
  const { find, fetch } = createProviders({ privateIssuers: [acme] })
  server.answer = documentOf(acme, server.origin)
  expect(await find({ preset: 'oidc', issuer: acme })).toMatchObject({
    isPrivate: true,
    token: `${server.origin}/endpoint`,
  })
  const paths = [
    '',
    '/',
    '/realms',
    '/realms/acme2',
    '/realms/acme/../other',
    '/realms/acme/%2e%2e/other',
    '?/realms/acme/',
  ]
  const sent = server.sockets.size
  for (const path of paths)
    await expect(find({ preset: 'oidc', issuer: server.origin + path })).rejects.toThrow('PRIVATE_ISSUERS')
  // The discovery document of a public issuer may name such an endpoint.
  await expect(fetch({ url: `${server.origin}/endpoint`, isPrivate: false })).rejects.toThrow(
    'PRIVATE_ISSUERS',
  )
  expect(server.sockets.size).toBe(sent)
})

it('names the setting if the certificate of a provider has an authority of its own', async ({ server }) => {
  const fetch = createProviderFetch([server.origin.replace('http', 'https')])
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementation((_options, callback) => {
    callback?.(error, undefined as never)
    return undefined as never
  })
  await expect(fetch({ url: server.origin.replace('http', 'https') })).rejects.toThrow(/NODE_EXTRA_CA_CERTS/)
  connect.mockRestore()
})

it.for([
  ['8.8.8.8', true],
  ['10.0.0.1', false],
  ['::ffff:8.8.8.8', true],
  ['::ffff:10.0.0.1', false],
  // NAT64 (RFC 6052), which is how an IPv6-only network reaches github.com.
  ['64:ff9b::140.82.121.3', true],
  ['64:ff9b::10.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b::a9fe:a9fe', false],
  // A prefix of the network itself (RFC 8215), IPv4-compatible addresses, 6to4, Teredo and others.
  ['64:ff9b:1::808:808', false],
  ['::808:808', false],
  ['::ffff:0:808:808', false],
  ['2002:808:808::1', false],
  ['2001:0:808:808::1', false],
  ['fec0::1', false],
  ['4000::1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['2606:50c0:8000::153', true],
] as const)('takes the address %s for public: %s', async ([address, isPublic]) => {
  const notPublic = () => new Error('not public')
  const host = address.includes(':') ? `[${address}]` : address
  const require = () => requirePublicHost(host, notPublic)
  if (isPublic) expect(require).not.toThrow()
  else expect(require).toThrow('not public')
  const resolved = await new Promise((resolve) => {
    createPublicLookup(notPublic)(address, { all: true }, (error, found) => resolve(error?.message ?? found))
  })
  expect(resolved).toEqual(
    isPublic ? [{ address: expect.any(String), family: address.includes(':') ? 6 : 4 }] : 'not public',
  )
})
