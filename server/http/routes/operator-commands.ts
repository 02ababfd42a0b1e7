import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { AppContext } from '../../domain/context.js'
import { admitOperator } from '../../domain/operators/admit-operator.js'
import { ClientDisconnected, Problem } from '../../domain/problem.js'
import { readBearerToken } from '../bearer-token.js'
import { requireConsole } from '../console-access.js'
import { type Commands, commandsPath } from '../remote-commands.js'
import { RequestCaller } from '../request-caller.js'
import type { Upgrade } from '../upgrades.js'

/** Bytes of a frame. It has room for a chunk of a file as base64. */
const maxPayload = 2 ** 19
/** A client sends a ping every 15 s. */
const maxSilenceMilliseconds = 45_000

/** Serves the commands of operators on other machines, one for each WebSocket. */
export function commandRoute(app: FastifyInstance, context: AppContext, commands: Commands) {
  const connect = createConnect()
  app.get(commandsPath, { exposeHeadRoute: false }, async (request, reply) => {
    requireConsole(request)
    // A page of a browser must not run commands.
    if (request.headers.origin !== undefined) throw new Problem('route_not_found')
    const caller = new RequestCaller(request, reply, context.hashing)
    const jwt = readBearerToken(request.headers.authorization)
    const right = { operator: 'member', in: 'anywhere' } as const
    const credentials = { caller, jwt, confirmation: undefined }
    const { user } = await admitOperator(context, credentials, { right, workspaceSlug: undefined })
    const upgrade = commands.upgradeOf(request.raw)
    if (!upgrade)
      throw new Problem('malformed_request', {
        detail: 'The request has no WebSocket handshake. A reverse proxy must pass it.',
      })
    commands.requireFree(user.id)
    reply.hijack()
    const by = { context, caller, jwt: jwt as string, operatorId: user.id, requestId: request.id }
    commands.start(() => connect(request, upgrade), by)
  })
}

/** Returns a function that accepts the WebSocket of a request. */
function createConnect() {
  let server: WebSocketServer | undefined
  return async (request: FastifyRequest, { takeSocket, head }: Upgrade): Promise<Duplex> => {
    // Loaded at the first command.
    const { createWebSocketStream, WebSocketServer } = await import('ws')
    server ??= new WebSocketServer({ noServer: true, clientTracking: false, maxPayload })
    const accepting = server
    const socket = takeSocket()
    if (socket.destroyed) throw new ClientDisconnected()
    const connection = await new Promise<Duplex>((resolve, reject) => {
      socket.once('close', () => reject(new ClientDisconnected()))
      accepting.handleUpgrade(request.raw, socket, head, (webSocket) => {
        endWhenSilent(webSocket)
        resolve(createWebSocketStream(webSocket))
      })
    })
    return connection.on('error', () => undefined)
  }
}

/** Ends the connection of a client that has disconnected without a sign. */
function endWhenSilent(socket: WebSocket) {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
  }, maxSilenceMilliseconds).unref()
  socket.on('ping', () => {
    isAlive = true
  })
  socket.once('close', () => clearInterval(timer))
}
