import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { closeSoon } from './socket-errors.js'

/** The connection of a request for another protocol. */
export interface Upgrade {
  /** The first bytes of the other protocol. */
  head: Buffer
  /** Returns the connection, which then has no response any more. */
  takeSocket(): Socket
}

/**
 * Routes requests for a WebSocket at one path. All other requests for another protocol are served as if they had not asked for it
 * (RFC 9110 §7.8): some clients ask for HTTP/2 in this way, also with a body.
 *
 * @returns a function that returns the upgrade of a request
 */
export function routeWebSockets(app: FastifyInstance, path: string) {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>()
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket'
    if (!isWebSocket || request.url?.split('?', 1)[0] !== path) {
      // Node has stopped to parse, so it begins again.
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
      app.server.emit('connection', socket)
      return
    }
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => {
      // There is none after `takeSocket`.
      if (response.socket) closeSoon(response.socket.end())
    })
    upgrades.set(request, { head, takeSocket: () => takeSocket(response, socket) })
    app.routing(request, response)
  })
  return (request: IncomingMessage) => upgrades.get(request)
}

function takeSocket(response: ServerResponse, socket: Socket) {
  response.detachSocket(socket)
  // So that it is logged and counted as other responses are.
  response.statusCode = 101
  response.emit('finish')
  return socket
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage) {
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'upgrade' ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  )
  return Buffer.from([`${method} ${url} HTTP/${httpVersion}`, ...fields, '', ''].join('\r\n'), 'latin1')
}
