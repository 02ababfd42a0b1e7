import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Config } from '../../config.js'
import { ClientDisconnected, Problem, usageError } from '../../domain/problem.js'
import type { Store } from '../../store/store.js'
import { version } from '../../version.js'
import { type Host, printTo, type Run } from '../io/host.js'
import { type ClientMessage, messagesOf, type ServerMessage, type Start, senderTo } from './messages.js'

/** What a server has for commands. */
export interface Server {
  run: Run
  config: Config
  store: Store
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/**
 * Runs the command of another process, until it ends. If that process disconnects, the command fails before its next
 * statement or transaction. If the server stops, the command gets no more input.
 */
export async function runForClient(socket: Socket, server: Server) {
  const messages = messagesOf<Start | ClientMessage>(socket)
  const send = senderTo<ServerMessage>(socket)
  const start = (await messages.next()).value as Start | undefined
  if (!start) return
  if (start.version !== version) return send({ version }).then(() => void socket.end())
  const { host, receive, disconnect } = createHost(start, { send, server })
  const received = receiveAll(messages, receive).finally(disconnect)
  const exitCode = await server.run(start.args, host)
  // The exit code must follow all output.
  await Promise.allSettled([host.stdout, host.stderr].map((output) => finished(output.end())))
  await send({ exitCode })
  socket.end()
  await received
}

async function receiveAll(
  messages: AsyncIterable<Start | ClientMessage>,
  receive: (each: ClientMessage) => void,
) {
  try {
    for await (const message of messages) receive(message as ClientMessage)
  } catch {
    // A broken connection is the end of its messages.
  }
}

interface Connection {
  send: (message: ServerMessage) => Promise<void>
  server: Server
}

/** Returns the host of a command, and functions that the messages and the end of a connection call. */
function createHost(start: Start, { send, server }: Connection) {
  const disconnected = new AbortController()
  const stdin = createInput(start, send)
  const stdout = createOutput((text) => send({ stdout: text }))
  let interrupt = () => {}
  const stop = () => {
    interrupt()
    stdin.close(new Problem('server_stopped', { detail: 'The server is stopping. Nothing was changed.' }))
  }
  server.stopping.addEventListener('abort', stop)
  const host: Host = {
    stdin: stdin.stream,
    stdout,
    stderr: Object.assign(
      createOutput((text) => send({ stderr: text })),
      {
        isTTY: start.showsErrors,
        columns: start.columns,
      },
    ),
    hasColors: start.hasColors,
    operator: start.operator,
    server: { config: server.config, store: whileConnected(server.store, disconnected.signal) },
    print: printTo(stdout),
    resolve: (file) => resolveIn(start.cwd, file),
    onInterruption(listener) {
      interrupt = listener
      send({ handlesSignals: true })
      return () => {
        interrupt = () => {}
        send({ handlesSignals: false })
      }
    },
  }
  function receive(message: ClientMessage) {
    if ('stdin' in message) stdin.push(message.stdin)
    else if ('closed' in message)
      stdout.destroy(Object.assign(new Error('stdout is closed'), { code: 'EPIPE' }))
    else interrupt()
  }
  function disconnect() {
    server.stopping.removeEventListener('abort', stop)
    disconnected.abort(new ClientDisconnected())
    stdin.close(new ClientDisconnected())
  }
  return { host, receive, disconnect }
}

/** Returns stdin, which reads a chunk from the client when the command needs one. */
function createInput({ typesInput }: Start, send: Connection['send']) {
  const readable = new Readable({ read: () => void send({ read: true }) })
  // A command may not read it.
  readable.on('error', () => undefined)
  const stream = Object.assign(readable, {
    isTTY: typesInput,
    setRawMode: (rawMode: boolean) => void send({ rawMode }),
  })
  return {
    stream,
    push: (chunk: string | null) => void readable.push(chunk === null ? null : Buffer.from(chunk, 'base64')),
    /** Cancels a prompt. Fails other reads, so that no command uses a part of the input. */
    close: (error: Error) => void (typesInput ? readable.push(null) : readable.destroy(error)),
  }
}

function createOutput(write: (text: string) => Promise<void>) {
  const output = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => void write(String(text)).then(() => done()),
  })
  return output.on('error', () => undefined)
}

/** Files such as /dev/stdin, which are others in the process of a client than in the server. */
const ownFiles = /^\/(dev\/(fd|std|tty)|proc\/)/

/** Returns a path in the working directory of a client. @throws {Problem} if only the client can open the file */
function resolveIn(cwd: string, file: string) {
  const path = resolve(cwd, file)
  if (ownFiles.test(path))
    throw usageError(`a running server cannot use ${file}. Name another file, or stop the server`)
  return path
}

/** Returns a store that does nothing more for a client that has disconnected, and that the command cannot close. */
function whileConnected(store: Store, signal: AbortSignal): Store {
  const guarded = <Work extends (...args: never[]) => Promise<unknown>>(work: Work) =>
    (async (...args) => {
      signal.throwIfAborted()
      return work(...args)
    }) as Work
  return {
    ...store,
    query: guarded(store.query),
    transaction: guarded(store.transaction),
    loadPrisma: guarded(store.loadPrisma),
    close: async () => undefined,
  }
}
