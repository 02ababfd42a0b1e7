import { setMaxListeners } from 'node:events'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../../domain/caller.js'
import type { AppContext } from '../../domain/context.js'
import { admitOperator } from '../../domain/operators/admit-operator.js'
import { ClientDisconnected, Problem } from '../../domain/problem.js'
import { readBearerToken } from '../bearer-token.js'
import { requireConsole } from '../console-access.js'
import { drainMilliseconds } from '../drain-connections.js'
import { RequestCaller } from '../request-caller.js'
import { routeWebSockets } from '../upgrades.js'

/** An operator who runs a command on another machine. */
export interface RemoteCaller {
  context: AppContext
  caller: Caller
  /** The access token. */
  jwt: string
  operatorId: string
  requestId: string
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Runs the command that a connection sends, until it or the connection ends. */
export type RunCommand = (connection: Duplex, by: RemoteCaller) => Promise<void>

const path = '/operator/commands'
const maxCommands = 16
const maxCommandsOfOperator = 4
/** Bytes of a frame. It has room for a chunk of a file as base64. */
const maxPayload = 2 ** 19
/** A client sends a ping every 15 s. */
const maxSilenceMilliseconds = 45_000
/** How long a server that stops waits for commands. The rest of the time is to close the store. */
const graceMilliseconds = drainMilliseconds - 1_000

interface Running {
  operatorId: string
  stream?: Duplex
  ended?: Promise<void>
}

/** Serves the commands of operators on other machines, one for each WebSocket. */
export function commandRoute(app: FastifyInstance, context: AppContext, runCommand: RunCommand) {
  const upgradeOf = routeWebSockets(app, path)
  const running = new Set<Running>()
  const stopping = new AbortController()
  setMaxListeners(maxCommands, stopping.signal)
  const openStream = streamOpener()
  const cut = () => running.forEach(({ stream }) => void stream?.destroy())
  app.addHook('preClose', (done) => {
    stopping.abort()
    setTimeout(cut, graceMilliseconds).unref()
    done()
  })
  app.addHook('onClose', async () => void (await Promise.all([...running].map(({ ended }) => ended))))

  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    requireConsole(request)
    // A page of a browser must not run commands.
    if (request.headers.origin !== undefined) throw new Problem('route_not_found')
    const caller = new RequestCaller(request, reply, context.hashing)
    const jwt = readBearerToken(request.headers.authorization)
    const metadata = { role: 'member', in: 'anywhere' } as const
    const credentials = { caller, jwt, confirmation: undefined }
    const { user } = await admitOperator(context, credentials, { metadata, workspaceSlug: undefined })
    const upgrade = upgradeOf(request.raw)
    if (!upgrade)
      throw new Problem('malformed_request', {
        detail: 'The request has no WebSocket handshake. A reverse proxy must pass it.',
      })
    requireFree(running, user.id)
    reply.hijack()
    const by = { context, caller, jwt: jwt as string, requestId: request.id, stopping: stopping.signal }
    const command: Running = { operatorId: user.id }
    const run = async () => {
      const stream = await openStream(request, upgrade)
      command.stream = stream
      await runCommand(stream, { ...by, operatorId: user.id }).finally(() => stream.destroy())
    }
    running.add(command)
    command.ended = run()
      .catch((err) => err instanceof ClientDisconnected || request.log.warn({ err }, 'a command failed'))
      .then(() => void running.delete(command))
  })
}

/** @throws {Problem} `unavailable` while too many commands run */
function requireFree(running: ReadonlySet<Running>, operatorId: string) {
  const own = [...running].filter((each) => each.operatorId === operatorId).length
  if (running.size >= maxCommands || own >= maxCommandsOfOperator)
    throw new Problem('unavailable', { detail: 'Too many commands run at the same time.' })
}

/** Returns a function that accepts WebSockets. */
function streamOpener() {
  let server: WebSocketServer | undefined
  return async (
    request: FastifyRequest,
    { takeSocket, head }: NonNullable<ReturnType<ReturnType<typeof routeWebSockets>>>,
  ): Promise<Duplex> => {
    // Loaded at the first command.
    const { createWebSocketStream, WebSocketServer } = await import('ws')
    server ??= new WebSocketServer({ noServer: true, clientTracking: false, maxPayload })
    const { handleUpgrade } = server
    const socket = takeSocket()
    if (socket.destroyed) throw new ClientDisconnected()
    const stream = await new Promise<Duplex>((resolve, reject) => {
      socket.once('close', () => reject(new ClientDisconnected()))
      handleUpgrade.call(server, request.raw, socket, head, (webSocket) => {
        endWhenSilent(webSocket)
        resolve(createWebSocketStream(webSocket))
      })
    })
    stream.on('error', () => undefined)
    return stream
  }
}

/** Ends the connection of a client that has disconnected without a sign, or that does not read what the server sends. */
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
