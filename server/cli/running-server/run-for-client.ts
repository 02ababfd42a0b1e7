import type { Duplex } from 'node:stream'
import { finished } from 'node:stream/promises'
import { version } from '../../version.js'
import type { Run } from '../io/host.js'
import { createHost, type Place, type Server } from './client-host.js'
import { type ClientMessage, messagesOf, type ServerMessage, type Start, senderTo } from './messages.js'

/** How long a process that has connected may wait with its command. */
const startMilliseconds = 10_000

/** A process that sends a command. */
export interface Client {
  connection: Duplex
  /** Characters of its longest message. */
  maxLength?: number
  /** Returns where it is. Throws if its first message is invalid. */
  placeOf: (start: Start, send: (message: ServerMessage) => Promise<void>) => Place
}

/**
 * Runs the command of another process, until it ends. If that process disconnects, the command fails before its next
 * statement or transaction. If the server stops, the command gets no more input.
 */
export async function runForClient(
  { connection, maxLength, placeOf }: Client,
  { run, ...server }: Server & { run: Run },
) {
  const messages = messagesOf<Start | ClientMessage>(connection, maxLength)
  const send = senderTo<ServerMessage>(connection)
  const late = setTimeout(() => connection.destroy(), startMilliseconds).unref()
  const start = (await messages.next().finally(() => clearTimeout(late))).value as Start | undefined
  if (!start) return
  if (start.version !== version) return send({ version }).then(() => void connection.end())
  const place = placeOf(start, send)
  const { host, receive, disconnect } = createHost(start, { send, server, place })
  const received = receiveAll(messages, receive).finally(disconnect)
  const exitCode = await run(start.args, host)
  // The exit code must follow all output.
  await Promise.allSettled([host.stdout, host.stderr].map((output) => finished(output.end())))
  await send({ exitCode })
  connection.end()
  await received
}

async function receiveAll(
  messages: AsyncIterable<Start | ClientMessage>,
  receive: (each: ClientMessage) => void,
) {
  try {
    for await (const message of messages) receive(message as ClientMessage)
  } catch {
    // A broken connection, or an invalid message, is the end of the messages.
  }
}
