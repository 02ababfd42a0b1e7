import { connect, type Socket } from 'node:net'

// A client that costs little, as it shares the machine with what it measures: requests are bytes made in
// advance, of an answer only the status and the length are read.

/** What came back: latencies in milliseconds by status; `failed` had no answer within ten seconds. */
export interface Answers {
  seconds: number
  latencies: Map<number, number[]>
  failed: number
}

/** Makes the bytes of the next request. */
export type Next = () => string

const patienceMilliseconds = 10_000

/** How long a server is warmed up: until what runs is compiled, of the floor as of Usher. */
export const warmUpSeconds = 10

/** Enough to keep every hashing thread busy. */
const connections = 8

/** Several connections, each sending its next request as soon as it has the answer to the last. */
export async function closedLoop(port: number, seconds: number, next: Next) {
  const answers = noAnswers()
  const start = performance.now()
  const end = start + seconds * 1000
  const loop = async () => {
    const connection = await open(port)
    while (performance.now() < end) await record(answers, connection, next())
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, loop))
  answers.seconds = (performance.now() - start) / 1000
  return answers
}

/** So many requests a second, sent when they are due whether or not those before were answered. */
export async function onSchedule(port: number, perSecond: number, seconds: number, next: Next) {
  const answers = noAnswers()
  const idle: Connection[] = []
  const sent: Promise<void>[] = []
  const send = async () => {
    const connection = idle.pop() ?? (await open(port))
    await record(answers, connection, next())
    idle.push(connection)
  }
  const start = performance.now()
  const total = perSecond * seconds
  while (sent.length < total) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond)
    while (sent.length < due) sent.push(send())
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  answers.seconds = (performance.now() - start) / 1000
  await Promise.all(sent)
  for (const connection of idle) connection.close()
  return answers
}

const noAnswers = (): Answers => ({ seconds: 0, latencies: new Map(), failed: 0 })

async function record(answers: Answers, connection: Connection, request: string) {
  const sentAt = performance.now()
  const status = await connection.send(request)
  if (status === undefined) {
    answers.failed += 1
    return
  }
  const all = answers.latencies.get(status)
  if (all) all.push(performance.now() - sentAt)
  else answers.latencies.set(status, [performance.now() - sentAt])
}

type Connection = Awaited<ReturnType<typeof open>>

async function open(port: number) {
  let socket = await connected(port)
  return {
    /** The status of the answer; undefined where none came. */
    async send(request: string): Promise<number | undefined> {
      const status = await exchange(socket, request)
      if (status === undefined || socket.readyState !== 'open') {
        socket.destroy()
        socket = await connected(port)
      }
      return status
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
  return new Promise<number | undefined>((resolve) => {
    let received = ''
    const finish = (status?: number) => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      resolve(status)
    }
    const timer = setTimeout(finish, patienceMilliseconds)
    socket.on('error', () => finish())
    socket.on('close', () => finish())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length >= headEnd + 4 + length) finish(Number(received.slice(9, 12)))
    })
    socket.write(request)
  })
}

/** The bytes of a request with JSON or a token. */
export function requestBytes(method: string, path: string, options: { body?: object; token?: string } = {}) {
  const { body, token } = options
  const json = body ? JSON.stringify(body) : ''
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    ...(token ? [`authorization: Bearer ${token}`] : []),
    ...(body ? ['content-type: application/json', `content-length: ${Buffer.byteLength(json)}`] : []),
  ]
  return `${head.join('\r\n')}\r\n\r\n${json}`
}
