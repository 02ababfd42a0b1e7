import type { Call } from '../io/cli.js'
import { readConfig } from '../io/config.js'
import type { Host } from '../io/host.js'

/** How commands reach a store. */
export interface Transport {
  call: Call
  /** Whether operators can log in. */
  hasConsole: boolean
  close: () => Promise<unknown>
}

/**
 * Opens the way to the store: to the server with the URL, otherwise to the server on this machine that has the embedded store open.
 * Without one, this process opens the store.
 *
 * @param url of a server. By default that of the setting `USHER_SERVER`
 */
export async function openTransport(host: Host, url: string | undefined): Promise<Transport> {
  const config = readConfig()
  const server = url ?? config.server
  if (server !== undefined) {
    const { toServer } = await import('./https.js')
    return toServer(server, host)
  }
  const hasConsole = config.console !== undefined
  if (!config.databaseUrl) {
    const { toSocket } = await import('./socket.js')
    const call = await toSocket(config.dataDir, host)
    if (call) return { call, hasConsole, close: async () => undefined }
  }
  const { inProcess } = await import('./in-process.js')
  return inProcess(host, config)
}
