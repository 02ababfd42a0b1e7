import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { test as base, expect } from 'vitest'
import { endWhenDisconnected } from '../../server/http/client-disconnect.js'
import { closeConnectionsWhenDraining } from '../../server/http/drain-connections.js'

// An app whose path /slow responds when a test says so.
const it = base.extend('served', async ({ task: _ }, { onCleanup }) => {
  const app: FastifyInstance = fastify()
  const context = { isEnding: false }
  const responded: number[] = []
  let proceed = () => {}
  const slow = new Promise<void>((resolve) => {
    proceed = resolve
  })
  endWhenDisconnected(app)
  closeConnectionsWhenDraining(app, context as never)
  app.addHook('onResponse', (_request, { statusCode }, done) => {
    responded.push(statusCode)
    done()
  })
  app.get('/', () => 'fast')
  app.get('/slow', () => slow.then(() => 'slow'))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  onCleanup(async () => {
    proceed()
    agent.destroy()
    app.server.closeAllConnections()
    await app.close()
  })
  const send = async (path: string) => {
    const [response] = (await once(get({ port, path, agent }), 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.headers.connection
  }
  /** Resolves when the app handles a request for /slow. */
  const isHandled = () => once(app.server, 'request')
  return { app, context, port, responded, proceed, send, isHandled }
})

it('a response closes its connection only while the server ends', async ({ served }) => {
  const { context, send } = served
  expect(await send('/')).toBe('keep-alive')
  context.isEnding = true
  expect(await send('/')).toBe('close')
})

it('a server that closes sends the responses of running requests, and then closes idle connections', async ({
  served,
}) => {
  const { app, port, proceed, send, isHandled } = served
  await send('/')
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const handled = isHandled()
  const response = send('/slow')
  await handled
  let isIdleClosed = false
  const idleClosed = once(idle, 'close').then(() => {
    isIdleClosed = true
  })
  const closed = app.close()
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  expect(isIdleClosed).toBe(false)
  proceed()
  expect(await response).toBe('close')
  await Promise.all([closed, idleClosed])
})

it('a server without requests closes idle connections immediately', async ({ served }) => {
  const { app, port, send } = served
  await send('/')
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  await Promise.all([app.close(), once(idle, 'close')])
})

it('a request whose client disconnects ends with 499, and no other request ends twice', async ({
  served,
}) => {
  const { port, responded, send, isHandled } = served
  await send('/')
  const handled = isHandled()
  const request = get({ port, path: '/slow' })
  request.on('error', () => undefined)
  await handled
  expect(responded).toEqual([200])
  request.destroy()
  await expect.poll(() => responded, { interval: 5 }).toEqual([200, 499])
})
