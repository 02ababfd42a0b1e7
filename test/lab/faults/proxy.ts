import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Which way the bytes go that are counted. */
export type Direction = 'toStore' | 'toUsher'

/** The next connection that carries the last of so many bytes is cut after it. */
export interface Cut {
  direction: Direction
  bytes: number
  /** Whether Usher's end sees a reset rather than an end. */
  resets: boolean
}

/** A proxy before Postgres that cuts connections at a given byte; what came before it is delivered. */
export async function startProxy(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let planned: (Cut & { done: () => void }) | undefined

  function forward(from: Socket, to: Socket, direction: Direction) {
    from.on('data', (chunk) => {
      if (planned?.direction !== direction) return to.write(chunk)
      if (chunk.length < planned.bytes) {
        planned.bytes -= chunk.length
        return to.write(chunk)
      }
      const { bytes, resets, done } = planned
      planned = undefined
      to.end(chunk.subarray(0, bytes))
      if (direction === 'toUsher') from.destroy()
      else if (resets) from.resetAndDestroy()
      else from.destroy()
      done()
    })
    from.on('close', () => to.end())
    // A reset by either end; the close follows.
    from.on('error', () => undefined)
  }
  const server = createServer((usher) => {
    const store = connect(Number(port), hostname)
    for (const socket of [usher, store]) {
      sockets.add(socket.setNoDelay())
      socket.on('close', () => sockets.delete(socket))
    }
    forward(usher, store, 'toStore')
    forward(store, usher, 'toUsher')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)

  return {
    url: own.href,
    /** Plans the next cut, in place of one that has not come about. @returns whether it has, when asked later */
    cut(cut: Cut) {
      let isDone = false
      planned = {
        ...cut,
        done: () => {
          isDone = true
        },
      }
      return () => isDone
    },
    /** Drops the plan of a cut that has not come about. */
    callOff() {
      planned = undefined
    },
    /** Cuts every connection now. */
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      server.close()
      this.cutAll()
      await once(server, 'close')
    },
  }
}

export type CuttingProxy = Awaited<ReturnType<typeof startProxy>>
