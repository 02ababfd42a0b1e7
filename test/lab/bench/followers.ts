import { connect, type Socket } from 'node:net'
import { requestBytes } from './load.js'

interface Page {
  revocations: { kid?: string }[]
  next: string
}

/** Clients that follow the revocations of a database, each over a connection of its own. */
export interface Followers {
  /** Milliseconds from storing a revocation to the response with it, for each client. */
  delays: number[]
  /** Responses other than 200. */
  errors: number
  stop(): void
}

/**
 * Starts clients that send their next request after each response. A revocation must have as `kid` the time at which it was
 * stored, in milliseconds of `performance.now()`.
 */
export function startFollowers(port: number, count: number, request: { path: string; key: string }) {
  const sockets: Socket[] = []
  const followers: Followers = {
    delays: [],
    errors: 0,
    stop: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  for (let index = 0; index < count; index++) sockets.push(follow(port, request, followers))
  return followers
}

function follow(port: number, { path, key }: { path: string; key: string }, followers: Followers) {
  const send = (after: string) =>
    socket.write(requestBytes('GET', `${path}?wait=25&limit=1000${after}`, { token: key }))
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => send(''))
  let received = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const headEnd = received.indexOf('\r\n\r\n') + 4
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
    if (headEnd < 4 || received.length < headEnd + length) return
    const body = received.slice(headEnd)
    const isGood = received.startsWith('HTTP/1.1 200')
    received = ''
    if (!isGood) {
      followers.errors += 1
      return
    }
    const { revocations, next } = JSON.parse(body) as Page
    for (const { kid } of revocations) followers.delays.push(performance.now() - Number(kid))
    send(`&after=${next}`)
  })
  return socket
}
