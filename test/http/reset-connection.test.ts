import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { it } from '../support/api.js'

it('logs status 499 and no error for a request whose connection was reset', async ({
  usher,
  database: { users },
  port,
}) => {
  usher.forgetLog()
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' })
  const head = `POST ${users}/login HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`
  const requests = 18
  for (let count = 0; count < requests; count++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const isRead = once(usher.app.server, 'request')
    socket.write(head + body)
    await isRead
    socket.resetAndDestroy()
  }
  const loggedStatuses = () => usher.logged().match(/"status":\d+/g) ?? []
  await expect.poll(() => loggedStatuses().length, { timeout: 20_000 }).toBe(requests)
  expect(loggedStatuses()).not.toContain('"status":500')
  expect(usher.logged()).not.toContain('"level":50')
})
