import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { buildApp } from '../../server/http/app.js'
import { it } from '../support/api.js'
import { startApp } from '../support/app.js'
import { parseResponses, exchange as socketExchange } from './raw-http.js'

const post = 'POST /workspaces/a/databases/b/users HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'

/** Sends bytes and returns the response, after which the server closes the connection. */
async function exchange(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, problem: JSON.parse(body) }
}

it.for([
  ['bytes that are not HTTP', 'hello\r\n\r\n', 'malformed_request'],
  ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n', 'malformed_request'],
  [
    'two Content-Length headers',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    'malformed_request',
  ],
  [
    'Content-Length with chunked encoding',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'malformed_request',
  ],
  [
    'huge headers',
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'headers_too_large',
  ],
  ['a missing Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request'],
  ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 'malformed_request'],
  ['a folded header line', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 'malformed_request'],
  ['an invalid chunk size', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 'malformed_request'],
  [
    'a chunk longer than its size',
    `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n`,
    'malformed_request',
  ],
  ['an invalid Content-Length', `${post}Content-Length: -1\r\n\r\n{}`, 'malformed_request'],
  [
    'too many headers',
    `GET / HTTP/1.1\r\nHost: a\r\n${'X: abcdefgh\r\n'.repeat(2000)}\r\n`,
    'headers_too_large',
  ],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'method_not_allowed'],
] as const)('returns a problem for %s and closes the connection', async ([, bytes, code], { port }) => {
  const { status, head, problem } = await exchange(port, bytes)
  expect(problem).toMatchObject({ code, status })
  expect(head.toLowerCase()).toContain('content-type: application/problem+json')
  expect(head.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`)
})

it('returns the responses to pipelined requests in order', async ({ port }) => {
  const requests = ['/healthz', '/nowhere', '/healthz'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
  )
  const responses = parseResponses(await socketExchange(port, Buffer.from(requests.join(''))))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200])
})

it('lists the methods of the server for OPTIONS *', async ({ port }) => {
  const request = 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'
  const [response] = parseResponses(await socketExchange(port, Buffer.from(request)))
  expect([response?.statusCode, response?.headers.allow]).toEqual([
    204,
    'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
  ])
})

it('ignores an unknown Expect header', async ({ port }) => {
  const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n'
  const [response] = parseResponses(await socketExchange(port, Buffer.from(request)))
  expect(response?.body).toBe('{"status":"ok"}')
})

it('accepts a request of HTTP/1.0 without Host', async ({ port }) => {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /healthz HTTP/1.0\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n\{"status":"ok"\}$/s)
})

it('returns 400 to a client that continues to send', async ({ port }) => {
  const bytes = `GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n${'x'.repeat(4_000_000)}`
  const [response] = parseResponses(await socketExchange(port, Buffer.from(bytes)))
  expect(response?.statusCode).toBe(400)
})

it('logs no internal error when a client disconnects while sending its body', async ({ usher, port }) => {
  const body = `${post}Content-Length: 100\r\n\r\n{`
  const disconnects = () => usher.logged().split('"status":499').length
  const before = disconnects()
  await socketExchange(port, Buffer.from(body))
  await expect.poll(disconnects).toBeGreaterThan(before)
  expect(usher.logged()).not.toContain('internal error')
})

it.for([
  ['part of the headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: '],
  ['the headers only', `${post}Content-Length: 100\r\n\r\n`],
  ['no bytes', ''],
] as const)('returns 408 when a request times out after %s', async ([, bytes], { usher }) => {
  const app = await buildApp({ ...usher.config, requestMilliseconds: 150 }, usher.context, {
    log: usher.app.log,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const trickle = setInterval(() => bytes && socket.write('x'), 50)
  socket.on('error', () => undefined).write(bytes)
  const [response] = parseResponses(await buffer(socket))
  clearInterval(trickle)
  expect(response?.statusCode).toBe(408)
  await app.close()
})

it('limits headers and body of a request to 15 seconds', ({ usher }) => {
  expect(usher.app.server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 15_000 })
})

it('returns a response that takes longer than a request may take to arrive', async ({ usher }) => {
  const app = await buildApp({ ...usher.config, requestMilliseconds: 150 }, usher.context, {
    log: usher.app.log,
  })
  const limit = (milliseconds: number) =>
    Object.assign(app.server, { headersTimeout: milliseconds, requestTimeout: milliseconds })
  const events = new EventEmitter()
  app.get('/slow', () => {
    limit(150)
    return once(events, 'other rejected')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  // It may arrive late on a busy machine.
  limit(60_000)
  const slow = exchange(port, 'GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await expect.poll(() => app.server.requestTimeout).toBe(150)
  // The time limit rejects it, although it began later.
  expect(await exchange(port, 'GET')).toMatchObject({ status: 408 })
  events.emit('other rejected')
  expect(await slow).toMatchObject({ status: 200 })
  await app.close()
})

it('closes without waiting for a connection that never sent a request', async ({ store }) => {
  const own = await startApp(store)
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  socket.on('error', () => undefined).resume()
  await own.close()
  await closed
})
