import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/app.js'

let usher: TestApi
let port: number
beforeAll(async () => {
  usher = await startApi()
  await usher.app.listen({ host: '127.0.0.1', port: 0 })
  port = (usher.app.server.address() as AddressInfo).port
})
afterAll(() => usher.close())

/** What the server writes until it closes the connection. */
async function exchange(bytes: string) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, problem: JSON.parse(body) }
}

it.each([
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
])('answers %s with a problem and closes', async (_what, bytes, code) => {
  const { status, head, problem } = await exchange(bytes)
  expect(problem).toMatchObject({ code, status })
  expect(head).toContain('Content-Type: application/problem+json')
  expect(head).toContain(`X-Request-Id: ${problem.requestId}`)
})

it('ends without waiting for a connection that never sent a request', async () => {
  const own = await startApi()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const gone = once(socket, 'close')
  socket.on('error', () => undefined).resume()
  await own.close()
  await gone
})
