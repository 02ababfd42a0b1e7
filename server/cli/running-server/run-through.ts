import type { Duplex } from 'node:stream'
import { Problem } from '../../domain/problem.js'
import { version } from '../../version.js'
import type { Host } from '../io/host.js'
import {
  type ClientMessage,
  messagesOf,
  type Question,
  type ServerMessage,
  type Start,
  senderTo,
} from './messages.js'

/** Longer than any output that a command prints at once. */
const maxMessageLength = 64 * 1_048_576

/** A server that runs a command. */
export interface CommandServer {
  connection: Duplex
  /** Returns what to do if the server has another version. */
  adviceOn: (version: string) => string
  /** Answers questions of a server on another machine. Errors with a code are answers, others end the command. */
  answer?: (question: Question) => Promise<unknown>
}

/** Returns what a server needs to know about the process of a command. */
export const startOf = (args: readonly string[], host: Host): Start => ({
  version,
  args,
  typesInput: host.stdin.isTTY === true,
  showsErrors: host.stderr.isTTY === true,
  hasColors: host.hasColors,
  columns: host.stderr.columns,
})

/**
 * Has a server run a command with the streams of this process.
 *
 * @returns the exit code
 * @throws {Problem} if the server is of another version or stops before the command ends
 */
export async function runThrough(server: CommandServer, start: Start, host: Host): Promise<number> {
  const { connection } = server
  senderTo<Start>(connection)(start)
  const client = createClient(host, server)
  try {
    for await (const message of messagesOf<ServerMessage>(connection, maxMessageLength)) {
      if ('exitCode' in message) return message.exitCode
      await client.receive(message)
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ECONNRESET', 'EPIPE'].includes(code)) throw error
  } finally {
    client.close()
  }
  throw new Problem('server_stopped', {
    detail: 'The server stopped before the command ended. Start it, and check what the command has changed.',
  })
}

/** Does what the server asks for during a command. */
function createClient(host: Host, { connection, adviceOn, answer }: CommandServer) {
  const send = senderTo<ClientMessage>(connection)
  const terminal = host.stdin as NodeJS.ReadStream
  // An interrupted connection is an end of the messages.
  connection.on('error', () => undefined)
  let input: AsyncIterator<string | Buffer> | undefined
  let isRaw = false
  let ignoreSignals = () => {}

  async function read() {
    input ??= host.stdin[Symbol.asyncIterator]()
    const { done, value } = await input.next()
    const chunk = done ? null : Buffer.from(value)
    if (isRaw && chunk?.includes(interrupt)) endUnlessServerDoes()
    await send({ stdin: chunk?.toString('base64') ?? null })
  }

  /** Ends the command if the server does not: a raw terminal sends no signals. */
  function endUnlessServerDoes() {
    const error = new Problem('cancelled', { detail: 'Cancelled. The server has not responded.' })
    setTimeout(() => connection.destroy(error), patienceMilliseconds).unref()
  }

  function setRawMode(rawMode: boolean) {
    isRaw = rawMode
    terminal.setRawMode?.(rawMode)
  }

  const show = (stream: NodeJS.WritableStream, text: string) =>
    new Promise<boolean>((resolve) => stream.write(text, (error) => resolve(!error)))

  async function reply(question: Question, number: number) {
    if (!answer) throw unexpected()
    const answered = answer(question).then(
      (value) => ({ value }),
      (error) => {
        if (error instanceof Problem || typeof error.code !== 'string') throw error
        return { error: error.code }
      },
    )
    await send({ answer: number, ...(await answered) })
  }

  async function receive(message: Exclude<ServerMessage, { exitCode: number }>) {
    if ('stderr' in message) await show(host.stderr, message.stderr)
    else if ('stdout' in message) {
      if (!(await show(host.stdout, message.stdout))) await send({ closed: 'stdout' })
    } else if ('read' in message) read().catch((error) => connection.destroy(error))
    else if ('rawMode' in message) setRawMode(message.rawMode)
    else if ('handlesSignals' in message) {
      ignoreSignals()
      if (message.handlesSignals) ignoreSignals = host.onInterruption(() => void send({ interrupted: true }))
    } else if ('ask' in message)
      reply(message.ask, message.number).catch((error) => connection.destroy(error))
    else if ('version' in message) throw new Problem('server_version', { detail: adviceOn(message.version) })
    else throw unexpected()
  }

  return {
    receive,
    close() {
      ignoreSignals()
      if (isRaw) setRawMode(false)
      connection.destroy()
      // A terminal would keep the process until the next key.
      if (input) terminal.destroy()
    },
  }
}

/** Ctrl-C of a raw terminal. */
const interrupt = 0x03
/** How long the server may take to end a command after Ctrl-C. */
const patienceMilliseconds = 3_000

const unexpected = () =>
  new Problem('server_untrusted', { detail: 'The server has sent what no server of Usher sends.' })
