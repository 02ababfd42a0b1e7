import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** At which COMMIT a server no longer hears from Postgres: before Postgres gets it, or after. */
export type Cut = 'before' | 'after'

/**
 * Starts a relay to Postgres. From the COMMIT of a chosen transaction on, it passes on nothing of the connection.
 *
 * @param cutAt returns where to cut, by what was sent since the transaction began
 */
export async function startRelay(url: string, cutAt: (sent: string) => Cut | undefined) {
  const { hostname, port } = new URL(url)
  let cuts = 0
  function pass(client: Socket) {
    const server = connect(Number(port), hostname)
    let sent = ''
    let cut: Cut | undefined
    client.on('data', (data) => {
      const text = data.toString('latin1')
      sent = text.includes('BEGIN') ? text : sent + text
      const isFirst = cut === undefined
      if (isFirst && sent.includes('COMMIT')) cut = cutAt(sent)
      if (isFirst && cut) cuts += 1
      if (cut === undefined || (cut === 'after' && isFirst)) server.write(data)
    })
    server.on('data', (data) => void (cut || client.write(data)))
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
  }
  const relay = createServer(pass).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  onTestFinished(() => void relay.close())
  const { port: own } = relay.address() as AddressInfo
  return { url: Object.assign(new URL(url), { host: `127.0.0.1:${own}` }).href, cuts: () => cuts }
}
