import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Problem } from '../../domain/problem.js'
import { isPrivateFolder } from '../../store/private-files.js'
import { version } from '../../version.js'
import type { Host } from '../io/host.js'
import { readConfig } from '../io/with-store.js'
import { withAddress } from './address.js'
import { type ClientMessage, messagesOf, type ServerMessage, type Start, senderTo } from './messages.js'

/**
 * Has the server that has the embedded store open run a command with the streams of this process.
 *
 * @returns the exit code. Undefined if no server has the store open
 * @throws {Problem} if the server is of another version or stops before the command ends
 */
export async function runOnServer(args: readonly string[], host: Host): Promise<number | undefined> {
  const { databaseUrl, dataDir } = readConfig(host)
  const socket = databaseUrl ? undefined : await connectTo(dataDir)
  if (!socket) return undefined
  senderTo<Start>(socket)({
    version,
    args,
    cwd: host.resolve('.'),
    operator: host.operator,
    typesInput: host.stdin.isTTY === true,
    showsErrors: host.stderr.isTTY === true,
    hasColors: host.hasColors,
    columns: host.stderr.columns,
  })
  const client = createClient(host, socket)
  try {
    for await (const message of messagesOf<ServerMessage>(socket)) {
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

/** Does what the server asks for during a command. */
function createClient(host: Host, socket: Socket) {
  const send = senderTo<ClientMessage>(socket)
  // An interrupted connection is an end of the messages.
  socket.on('error', () => undefined)
  let input: AsyncIterator<string | Buffer> | undefined
  let ignoreSignals = () => {}

  async function read() {
    input ??= host.stdin[Symbol.asyncIterator]()
    const { done, value } = await input.next()
    await send({ stdin: done ? null : Buffer.from(value).toString('base64') })
  }

  const show = (stream: NodeJS.WritableStream, text: string) =>
    new Promise<boolean>((resolve) => stream.write(text, (error) => resolve(!error)))

  async function receive(message: Exclude<ServerMessage, { exitCode: number }>) {
    if ('stderr' in message) await show(host.stderr, message.stderr)
    else if ('stdout' in message) {
      if (!(await show(host.stdout, message.stdout))) await send({ closed: 'stdout' })
    } else if ('read' in message) read().catch((error) => socket.destroy(error))
    else if ('rawMode' in message) (host.stdin as NodeJS.ReadStream).setRawMode?.(message.rawMode)
    else if ('handlesSignals' in message) {
      ignoreSignals()
      if (message.handlesSignals) ignoreSignals = host.onInterruption(() => void send({ interrupted: true }))
    } else {
      throw new Problem('server_version', {
        detail: `The running server is Usher ${message.version}, and this command is ${version}. Stop the server, then run the command again.`,
      })
    }
  }

  return {
    receive,
    close() {
      ignoreSignals()
      socket.destroy()
      // A terminal would keep the process until the next key.
      if (input) (host.stdin as NodeJS.ReadStream).destroy()
    },
  }
}
