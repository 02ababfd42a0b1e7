import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Direction of the counted bytes. */
export type Direction = 'toStore' | 'toUsher'

/** Cuts the next connection that transfers this number of bytes. */
export interface Cut {
  direction: Direction
  bytes: number
  /** Whether Usher receives a reset, not an orderly close. */
  resets: boolean
}

/** Starts a proxy to Postgres that cuts connections at a given byte. Earlier bytes are delivered. */
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
    // After a reset by either side, `close` follows.
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

  function cutAll() {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: own.href,
    /** Plans the next cut and replaces a pending one. Returns a function that returns whether the cut has happened. */
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
    /** Cancels a pending cut. */
    callOff() {
      planned = undefined
    },
    /** Cuts all connections immediately. */
    cutAll,
    async close() {
      server.close()
      cutAll()
      await once(server, 'close')
    },
  }
}

export type CuttingProxy = Awaited<ReturnType<typeof startProxy>>
