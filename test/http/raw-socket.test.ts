import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { it } from '../support/api.js'
import { startApp } from '../support/app.js'
import { parseResponses, exchange as socketExchange } from '../support/raw-http.js'

const post = 'POST /workspaces/a/databases/b/users HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'

/** What the server writes until it closes the connection. */
async function exchange(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, problem: JSON.parse(body) }
}

it.for([
  ['no HTTP at all', 'hello\r\n\r\n', 'malformed_request'],
  ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n', 'malformed_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    'malformed_request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'malformed_request',
  ],
  [
    'huge headers',
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'headers_too_large',
  ],
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request'],
  ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 'malformed_request'],
  ['a line folded', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 'malformed_request'],
  ['a bad size of a chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 'malformed_request'],
  ['a chunk longer than told', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n`, 'malformed_request'],
  ['a length that is none', `${post}Content-Length: -1\r\n\r\n{}`, 'malformed_request'],
  [
    'too many headers',
    `GET / HTTP/1.1\r\nHost: a\r\n${'X: abcdefgh\r\n'.repeat(2000)}\r\n`,
    'headers_too_large',
  ],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'method_not_allowed'],
] as const)('answers %s with a problem and closes', async ([, bytes, code], { port }) => {
  const { status, head, problem } = await exchange(port, bytes)
  expect(problem).toMatchObject({ code, status })
  expect(head.toLowerCase()).toContain('content-type: application/problem+json')
  expect(head.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`)
})

it('answers pipelined requests in their order', async ({ port }) => {
  const requests = ['/healthz', '/nowhere', '/healthz'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
  )
  const answers = parseResponses(await socketExchange(port, Buffer.from(requests.join(''))))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200])
})

it('ignores an expectation that it does not know', async ({ port }) => {
  const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n'
  const [answer] = parseResponses(await socketExchange(port, Buffer.from(request)))
  expect(answer?.body).toBe('{"status":"ok"}')
})

it('lets a client that goes on sending read why it was refused', async ({ port }) => {
  const bytes = `GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n${'x'.repeat(4_000_000)}`
  const [answer] = parseResponses(await socketExchange(port, Buffer.from(bytes)))
  expect(answer?.statusCode).toBe(400)
})

it('takes a client that hangs up in the middle of its body for no error of its own', async ({
  usher,
  port,
}) => {
  const body = `${post}Content-Length: 100\r\n\r\n{`
  const refused = () => usher.logged().split('"status":499').length
  const before = refused()
  await socketExchange(port, Buffer.from(body))
  await expect.poll(refused).toBeGreaterThan(before)
  expect(usher.logged()).not.toContain('internal error')
})

it.for([
  ['headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: '],
  ['a body', `${post}Content-Length: 100\r\n\r\n`],
  ['nothing', ''],
] as const)('ends a connection over which %s came too slowly', async ([, bytes], { store }) => {
  const own = await startApp(store)
  Object.assign(own.app.server, { requestTimeout: 300, headersTimeout: 300 })
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  const trickle = setInterval(() => bytes && socket.write('x'), 50)
  socket.on('error', () => undefined).write(bytes)
  const [answer] = parseResponses(await buffer(socket))
  clearInterval(trickle)
  expect(answer?.statusCode).toBe(408)
  await own.close()
})

it('ends without waiting for a connection that never sent a request', async ({ store }) => {
  const own = await startApp(store)
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const gone = once(socket, 'close')
  socket.on('error', () => undefined).resume()
  await own.close()
  await gone
})
