import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { isPrivateFolder } from '../../store/private-files.js'
import type { Log } from '../../telemetry/audit.js'
import type { Run } from '../io/host.js'
import { socketFile, withAddress } from './address.js'
import type { Server } from './client-host.js'
import type { LocalStart, Start } from './messages.js'

/**
 * Runs the commands of other processes on the embedded store, which only one process can open, through a socket in its
 * folder. If the file system has no sockets, or others can enter the folder, logs a warning instead.
 *
 * @returns a function that removes the socket, and waits for running commands for at most these milliseconds
 */
export async function listenForCommands({
  log,
  ...parts
}: Omit<Server, 'stopping'> & { run: Run; log: Log }) {
  const folder = parts.config.dataDir
  const stopping = new AbortController()
  const commands = new Map<Socket, Promise<void>>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    const command = runForProcess(socket, { ...parts, stopping: stopping.signal })
      .catch((err) => log.warn({ err }, 'a command failed'))
      .finally(() => {
        socket.destroy()
        commands.delete(socket)
      })
    commands.set(socket, command)
  })
  try {
    if (!isPrivateFolder(folder)) throw new Error(`others can enter ${folder}`)
    await bind(server, folder)
    server.on('error', (err) => log.warn({ err }, 'a command cannot connect'))
  } catch (err) {
    server.close()
    log.warn({ err }, 'commands cannot run next to this server')
    return undefined
  }
  return async (milliseconds: number) => {
    server.close()
    remove(folder)
    stopping.abort()
    const ended = Promise.all(commands.values())
    await Promise.race([ended, setTimeout(milliseconds, undefined, { ref: false })])
    for (const socket of commands.keys()) socket.destroy()
    await ended
  }
}

/** Runs the command of another process. The code of commands is loaded only if there is one. */
async function runForProcess(socket: Socket, server: Server & { run: Run }) {
  const [{ runForClient }, { localPlace }] = await Promise.all([
    import('./run-for-client.js'),
    import('./local-place.js'),
  ])
  const client = { connection: socket, placeOf: (start: Start) => localPlace(start as LocalStart) }
  await runForClient(client, server)
}

/** Listens on the socket. A file of a killed server is removed: this process has the folder's lock. */
async function bind(server: ReturnType<typeof createServer>, folder: string) {
  remove(folder)
  const listening = once(server, 'listening')
  withAddress(folder, (address) => server.listen(address))
  await listening
  const file = socketFile(folder)
  // The process has a umask of 077, so that others could not connect before, either.
  if (file) chmodSync(file, 0o600)
}

function remove(folder: string) {
  const file = socketFile(folder)
  if (file) rmSync(file, { force: true })
}
