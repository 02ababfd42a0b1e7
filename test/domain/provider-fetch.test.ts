import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base, expect, vi } from 'vitest'
import { createProviders } from '../../server/domain/providers/find-provider.js'
import { withinTime } from '../../server/domain/providers/identify.js'
import { createProviderFetch } from '../../server/domain/providers/provider-fetch.js'

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

it('sends 32 requests at the same time, and 16 to one origin', async ({ server, other }) => {
  const third = await startServer()
  const servers = [server, other, third.started]
  const fetch = createProviderFetch(servers.map(({ origin }) => origin))
  const waiting = servers.map(() => [] as ServerResponse[])
  servers.forEach((each, index) => {
    each.answer = (response) => waiting[index]?.push(response)
  })
  const counts = () => waiting.map(({ length }) => length)
  const requests = servers.flatMap(({ origin }) => Array.from({ length: 20 }, () => fetch({ url: origin })))
  await vi.waitFor(() => expect(counts()).toEqual([16, 16, 0]))
  // One response of a provider lets the next request in, of whichever provider.
  ok(waiting[0]?.pop() as ServerResponse, {} as IncomingMessage)
  await vi.waitFor(() => expect(counts().reduce((sum, count) => sum + count)).toBe(32))
  for (const each of servers) each.answer = ok
  for (const response of waiting.flat()) ok(response, {} as IncomingMessage)
  await Promise.all(requests)
  await third.close()
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

it('says what to correct if an issuer is not the one of its discovery document', async ({ server }) => {
  const { find } = createProviders({ privateIssuers: [server.origin] })
  server.answer = (response) => {
    const endpoint = `${server.origin}/endpoint`
    const document = {
      issuer: `${server.origin}/`,
      ...{ authorization_endpoint: endpoint, token_endpoint: endpoint, jwks_uri: endpoint },
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }
  await expect(find({ preset: 'oidc', issuer: server.origin })).rejects.toThrow(
    `the discovery document of ${server.origin} has another issuer: ${server.origin}/`,
  )
  expect(await find({ preset: 'oidc', issuer: `${server.origin}/` })).toMatchObject({ usesBasic: true })
})
