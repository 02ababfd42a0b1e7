import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { AppContext } from '../domain/context.js'
import { isPrivateFolder } from '../store/private-files.js'
import type { Log } from '../telemetry/audit.js'
import { socketFile, withAddress } from './address.js'

/** What a server has for the commands of this machine. */
export interface SocketDoor {
  /** Folder of the embedded store. */
  dataDir: string
  context: AppContext
  consoleUrl: string
  log: Log & { child(fields: object): Log }
}

/**
 * Runs operations for other processes of this machine on the embedded store, which only one process can open, through a socket in
 * its folder. Only the user of the server can connect, who may do everything. If the file system has no sockets, or others can
 * enter the folder, logs a warning instead.
 *
 * @returns a function that removes the socket, and waits for running operations for at most these milliseconds
 */
export async function listenOnSocket(door: SocketDoor) {
  const { dataDir, log } = door
  const running = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const answered = answer(door, request, response).finally(() => running.delete(answered))
    running.add(answered)
  })
  try {
    if (!isPrivateFolder(dataDir)) throw new Error(`others can enter ${dataDir}`)
    await bind(server, dataDir)
    server.on('error', (err) => log.warn({ err }, 'a command cannot connect'))
  } catch (err) {
    server.close()
    log.warn({ err }, 'commands cannot run next to this server')
    return undefined
  }
  return async (milliseconds: number) => {
    server.close()
    remove(dataDir)
    const ended = Promise.all(running)
    await Promise.race([ended, setTimeout(milliseconds, undefined, { ref: false })])
    server.closeAllConnections()
    await ended
  }
}

/** Answers a request. The code of operations is loaded only if there is one. */
async function answer({ log, ...door }: SocketDoor, request: IncomingMessage, response: ServerResponse) {
  try {
    const { answerCommand } = await import('./answer.js')
    await answerCommand({ log, ...door }, request, response)
  } catch (err) {
    // A process that has disconnected gets no response.
    if (!response.destroyed) log.warn({ err }, 'a command got no response')
    response.destroy()
  }
}

/** Listens on the socket. A file of a killed server is removed: this process has the folder's lock. */
async function bind(server: Server, folder: string) {
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
