import { Readable, Writable } from 'node:stream'
import type { Config } from '../../config.js'
import { ClientDisconnected, Problem } from '../../domain/problem.js'
import type { Store } from '../../store/store.js'
import { type Host, printTo } from '../io/host.js'
import type { Answer, ClientMessage, ServerMessage, Start } from './messages.js'

/** What a server has for commands. */
export interface Server {
  config: Config
  store: Store
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Where the process of a command is. */
export interface Place extends Pick<Host, 'operator' | 'resolve' | 'files' | 'admit'> {
  /** Receives the answer to a question. Throws if there was none. */
  receive(answer: Answer): void
  /** Fails the questions that wait for an answer. */
  disconnect(error: Error): void
  /** Fails a confirmation that waits for an answer, because the server stops. */
  stop(error: Error): void
}

interface Connection {
  send: (message: ServerMessage) => Promise<void>
  server: Server
  place: Place
}

/** Returns the host of a command, and functions that the messages and the end of a connection call. */
export function createHost(start: Start, { send, server, place }: Connection) {
  const { receive: receiveAnswer, disconnect: failQuestions, stop: failConfirmation, ...ofPlace } = place
  const disconnected = new AbortController()
  const stdin = createInput(start, send)
  const stdout = createOutput((text) => send({ stdout: text }))
  const stderr = createOutput((text) => send({ stderr: text }))
  let interrupt = () => {}
  const stop = () => {
    const error = new Problem('server_stopped', { detail: 'The server is stopping. Nothing was changed.' })
    interrupt()
    stdin.close(error)
    failConfirmation(error)
  }
  server.stopping.addEventListener('abort', stop)
  const host: Host = {
    ...ofPlace,
    stdin: stdin.stream,
    stdout,
    stderr: Object.assign(stderr, { isTTY: start.showsErrors, columns: start.columns }),
    hasColors: start.hasColors,
    server: { config: server.config, store: whileConnected(server.store, disconnected.signal) },
    print: printTo(stdout),
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
    else if ('answer' in message) receiveAnswer(message)
    else if ('closed' in message)
      stdout.destroy(Object.assign(new Error('stdout is closed'), { code: 'EPIPE' }))
    else interrupt()
  }
  function disconnect() {
    const error = new ClientDisconnected()
    server.stopping.removeEventListener('abort', stop)
    disconnected.abort(error)
    stdin.close(error)
    failQuestions(error)
  }
  return { host, receive, disconnect }
}

/** More than anybody types. */
const maxTypedBytes = 65_536

/** Returns stdin, which reads a chunk from the client when the command needs one. */
function createInput({ typesInput }: Start, send: Connection['send']) {
  let isAsked = false
  let typedBytes = 0
  const readable = new Readable({
    read() {
      isAsked = true
      void send({ read: true })
    },
  })
  // A command may not read it.
  readable.on('error', () => undefined)
  const stream = Object.assign(readable, {
    isTTY: typesInput,
    setRawMode: (rawMode: boolean) => void send({ rawMode }),
  })
  return {
    stream,
    push(chunk: string | null) {
      // Otherwise a client could fill the memory.
      if (!isAsked) throw new Error('stdin was not read')
      isAsked = false
      const bytes = chunk === null ? null : Buffer.from(chunk, 'base64')
      if (typesInput) typedBytes += bytes?.length ?? 0
      if (typedBytes > maxTypedBytes) throw new Error('more was typed than anybody can')
      readable.push(bytes)
    },
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
