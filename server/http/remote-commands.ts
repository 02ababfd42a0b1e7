import { setMaxListeners } from 'node:events'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../domain/caller.js'
import type { AppContext } from '../domain/context.js'
import { Problem } from '../domain/problem.js'
import { drainMilliseconds } from './drain-connections.js'
import { routeWebSockets } from './upgrades.js'

/** An operator who runs a command on another machine. */
export interface RemoteCaller {
  context: AppContext
  caller: Caller
  /** The access token. */
  jwt: string
  operatorId: string
  requestId: string
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Runs the command that a connection sends, until it or the connection ends. */
export type RunCommand = (connection: Duplex, by: RemoteCaller) => Promise<void>

export const commandsPath = '/operator/commands'
const maxCommands = 16
const maxCommandsOfOperator = 4
/** How long a server that stops waits for commands. The rest of the time is to close the store. */
const graceMilliseconds = drainMilliseconds - 1_000

interface Running {
  operatorId: string
  connection?: Duplex
  ended?: Promise<void>
}

export type Commands = ReturnType<typeof acceptCommands>

/** Returns the commands of a port. When it closes, they get no more input, and some time to end. */
export function acceptCommands(app: FastifyInstance, runCommand: RunCommand) {
  const upgradeOf = routeWebSockets(app, commandsPath)
  const running = new Set<Running>()
  const stopping = new AbortController()
  setMaxListeners(maxCommands, stopping.signal)
  const cut = () => running.forEach(({ connection }) => void connection?.destroy())
  app.addHook('preClose', (done) => {
    stopping.abort()
    setTimeout(cut, graceMilliseconds).unref()
    done()
  })
  app.addHook('onClose', async () => void (await Promise.all([...running].map(({ ended }) => ended))))

  /** @throws {Problem} `unavailable` while too many commands run, or if the server stops */
  function requireFree(operatorId: string) {
    const own = [...running].filter((each) => each.operatorId === operatorId).length
    if (stopping.signal.aborted || running.size >= maxCommands || own >= maxCommandsOfOperator)
      throw new Problem('unavailable', { detail: 'Too many commands run at the same time.' })
  }

  /** Runs a command. @param connect accepts its connection */
  function start(connect: () => Promise<Duplex>, by: Omit<RemoteCaller, 'stopping'>) {
    const command: Running = { operatorId: by.operatorId }
    const run = async () => {
      const connection = await connect()
      command.connection = connection
      await runCommand(connection, { ...by, stopping: stopping.signal }).finally(() => connection.destroy())
    }
    running.add(command)
    command.ended = run()
      .catch((err) => by.caller.log.warn({ err }, 'a command failed'))
      .finally(() => running.delete(command))
  }

  return { upgradeOf, requireFree, start }
}
