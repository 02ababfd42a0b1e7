import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Starts a TCP proxy on a free port of 127.0.0.1, which can fail like a machine. */
export async function startTcpProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>()
  let accepted = 0
  let chunks = 0
  let isFrozen = false

  function forward(client: Socket) {
    accepted += 1
    const server = connect(target)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket)
          client.destroy()
          server.destroy()
        })
    }
    client.on('data', (chunk) => {
      chunks += 1
      if (!isFrozen) server.write(chunk)
    })
    server.pipe(client)
  }

  const listen = async (port: number) => {
    const server = createServer(forward).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** The name of a node of a distributed store. */
    name: `127.0.0.1:${port}`,
    /** The number of connections since the start. */
    accepted: () => accepted,
    /** Returns whether a client has sent something since the last call. */
    wasUsed() {
      const wasUsed = chunks > 0
      chunks = 0
      return wasUsed
    },
    /** Closes all connections and refuses new ones, like a killed server. */
    async refuse() {
      const closed = server && once(server, 'close')
      server?.close()
      server = undefined
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async accept() {
      server ??= await listen(port)
    },
    /** Keeps connections without forwarding anything, like a server that does not respond. */
    freeze() {
      isFrozen = true
    },
  }
}

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>
