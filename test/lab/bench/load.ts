import { connect, type Socket } from 'node:net'

// A cheap client, because it shares the machine with the measured server: requests are prepared bytes, and of a response
// it reads only status and length.

/** Latencies in milliseconds by status. `failed` counts requests without a response within 10 s. */
export interface Responses {
  seconds: number
  latencies: Map<number, number[]>
  failed: number
  /** The first response with each status, as received. */
  first: Map<number, string>
}

/** Returns the bytes of the next request. @param last the last response on the connection, or undefined */
export type Next = (last?: string) => string

const patienceMilliseconds = 10_000

/** Warm-up before a measurement, in which V8 compiles the code of the server. */
export const warmUpSeconds = 10

/**
 * Sends requests over several connections, each after the response to the previous one.
 *
 * @param connections eight keep all hashing threads busy
 */
export async function closedLoop(port: number, seconds: number, next: Next, connections = 8) {
  const responses = noResponses()
  const start = performance.now()
  const end = start + seconds * 1000
  const loop = async () => {
    const connection = await open(port)
    let last: string | undefined
    while (performance.now() < end) last = await record(responses, connection, next(last))
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, loop))
  responses.seconds = (performance.now() - start) / 1000
  return responses
}

const noResponses = (): Responses => ({ seconds: 0, latencies: new Map(), failed: 0, first: new Map() })

async function record(responses: Responses, connection: Connection, request: string) {
  const sentAt = performance.now()
  const response = await connection.send(request)
  if (response === undefined) {
    responses.failed += 1
    return undefined
  }
  const status = Number(response.slice(9, 12))
  const all = responses.latencies.get(status)
  if (all) all.push(performance.now() - sentAt)
  else {
    responses.latencies.set(status, [performance.now() - sentAt])
    responses.first.set(status, response)
  }
  return response
}

type Connection = Awaited<ReturnType<typeof open>>

async function open(port: number) {
  let socket = await connected(port)
  return {
    /** Returns the response as received, or undefined if there was none. */
    async send(request: string): Promise<string | undefined> {
      const response = await exchange(socket, request)
      if (response === undefined || socket.readyState !== 'open') {
        socket.destroy()
        socket = await connected(port)
      }
      return response
    },
    close: () => socket.destroy(),
  }
}

function connected(port: number) {
  return new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

function exchange(socket: Socket, request: string) {
  return new Promise<string | undefined>((resolve) => {
    let received = ''
    const finish = (response?: string) => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      resolve(response)
    }
    const timer = setTimeout(finish, patienceMilliseconds)
    socket.on('error', () => finish())
    socket.on('close', () => finish())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isComplete(received)) finish(received)
    })
    socket.write(request)
  })
}

function isComplete(received: string) {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /content-length: (\d+)/i.exec(received)?.[1]
  if (length === undefined && /transfer-encoding: chunked/i.test(received)) {
    return received.endsWith('\r\n0\r\n\r\n')
  }
  return received.length >= headEnd + 4 + Number(length ?? 0)
}

/**
 * Returns the bytes of a request with JSON, a token or other headers.
 *
 * @param options.from address of the client, as a proxy would forward it
 */
export function requestBytes(
  method: string,
  path: string,
  options: { body?: object; token?: string; from?: string; headers?: Record<string, string> } = {},
) {
  const { body, token, from, headers = {} } = options
  const json = body ? JSON.stringify(body) : ''
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    ...(from ? [`x-forwarded-for: ${from}`] : []),
    ...(token ? [`authorization: Bearer ${token}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body ? ['content-type: application/json', `content-length: ${Buffer.byteLength(json)}`] : []),
  ]
  return `${head.join('\r\n')}\r\n\r\n${json}`
}
