import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { isPrivateFolder } from '../../store/private-files.js'
import { version } from '../../version.js'
import type { Host } from '../io/host.js'
import { readConfig } from '../io/with-store.js'
import { withAddress } from './address.js'
import type { LocalStart } from './messages.js'
import { runThrough, startOf } from './run-through.js'

/**
 * Has the server that has the embedded store open run a command.
 *
 * @returns the exit code. Undefined if no server has the store open
 */
export async function runOnServer(args: readonly string[], host: Host): Promise<number | undefined> {
  const { databaseUrl, dataDir } = readConfig(host)
  const connection = databaseUrl ? undefined : await connectTo(dataDir)
  if (!connection) return undefined
  const start: LocalStart = { ...startOf(args, host), cwd: host.resolve('.'), operator: host.operator }
  const adviceOn = (other: string) =>
    `The running server is Usher ${other}, and this command is ${version}. Stop the server, then run the command again.`
  return runThrough({ connection, adviceOn }, start, host)
}

/** Connects to a server. A folder that others can change might have a socket of someone else. */
async function connectTo(folder: string): Promise<Socket | undefined> {
  try {
    if (!isPrivateFolder(folder)) return undefined
    const socket = withAddress(folder, (address) => connect(address))
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}
