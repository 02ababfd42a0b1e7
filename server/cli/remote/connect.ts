import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocket } from 'ws'
import { Problem } from '../../domain/problem.js'
import { consoleMissing, responseText } from './request.js'
import { loginMissing, type RemoteSession } from './session.js'

const handshakeMilliseconds = 15_000
/** How often the client shows that it is there. A server ends the command of one that has not for 45 s. */
const pingMilliseconds = 15_000
/** Pings without a response after which the connection is broken. */
const maxUnanswered = 3

/** Connects to a server. @throws {Problem} as {@link problemOf} says; `server_unreachable` */
export async function connectTo(session: RemoteSession): Promise<Duplex> {
  const token = await session.token()
  try {
    return await open(session.origin, token)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'login_missing') throw error
    return open(session.origin, await session.token(token))
  }
}

function open(origin: string, token: string) {
  const url = `${origin.replace(/^http/, 'ws')}/operator/commands`
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url, { headers, handshakeTimeout: handshakeMilliseconds })
  return new Promise<Duplex>((resolve, reject) => {
    socket.once('open', () => {
      pingRegularly(socket)
      resolve(createWebSocketStream(socket))
    })
    socket.once('unexpected-response', (request, response) => {
      problemOf(response, origin)
        .then(reject, reject)
        .finally(() => request.destroy())
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Problem('server_unreachable', {
          detail: `Cannot reach ${origin}: ${error.message || error.code}.`,
          cause: error,
        }),
      ),
    )
  })
}

/** Returns why a server does not run a command. */
async function problemOf(response: IncomingMessage, origin: string) {
  const { detail } = await bodyOf(response)
  const { statusCode } = response
  if (statusCode === 401) return loginMissing(origin)
  if (statusCode === 403) return new Problem('role_insufficient', { detail })
  if (statusCode === 404) return consoleMissing(origin)
  if (statusCode === 503) return new Problem('unavailable', { detail })
  return new Problem('server_unreachable', {
    detail: `${origin} does not accept commands (status ${statusCode}). A reverse proxy must pass WebSockets to /operator/commands.`,
  })
}

/** Returns the problem document of a response. Empty if it has none. */
async function bodyOf(response: IncomingMessage): Promise<{ detail?: string }> {
  try {
    const { detail } = JSON.parse(await responseText(response))
    return { detail: String(detail) }
  } catch {
    return {}
  }
}

/** Keeps a connection alive, and ends it if the server does not respond. */
function pingRegularly(socket: WebSocket) {
  let unanswered = 0
  const timer = setInterval(() => {
    // While the output of the command waits, pongs are not read.
    if (socket.isPaused) unanswered = 0
    if (unanswered === maxUnanswered) socket.terminate()
    unanswered += 1
    socket.ping()
  }, pingMilliseconds).unref()
  socket.on('pong', () => {
    unanswered = 0
  })
  socket.once('close', () => clearInterval(timer))
}
