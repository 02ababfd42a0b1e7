import type { Socket } from 'node:net'

/** What a server needs to know about the process of a command. */
export interface Start {
  /** Version of Usher. */
  version: string
  args: readonly string[]
  cwd: string
  operator: string
  /** Whether stdin is a terminal. */
  typesInput: boolean
  /** Whether stderr is a terminal. */
  showsErrors: boolean
  hasColors: boolean
  columns?: number | undefined
}

/** A message of a command's process. The first one is {@link Start}. */
export type ClientMessage =
  /** A chunk of stdin as base64, or null at its end. */
  | { stdin: string | null }
  /** Nothing reads stdout any more. */
  | { closed: 'stdout' }
  /** A signal came. */
  | { interrupted: true }

/** A message of the server. */
export type ServerMessage =
  | { stdout: string }
  | { stderr: string }
  /** The command reads a chunk of stdin. */
  | { read: true }
  | { rawMode: boolean }
  /** Whether a signal shall not end the process of the command. */
  | { handlesSignals: boolean }
  | { exitCode: number }
  /** The server is of this version, and does not run the command. */
  | { version: string }

/** Returns a function that sends messages. Its promise resolves when the system has the message, or when it cannot be sent. */
export const senderTo =
  <Message>(socket: Socket) =>
  (message: Message) =>
    new Promise<void>((resolve) => socket.write(`${JSON.stringify(message)}\n`, () => resolve()))

/** Yields the messages that a socket receives, one JSON object a line. */
export async function* messagesOf<Message>(socket: Socket): AsyncGenerator<Message> {
  let pending = ''
  for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (pending + chunk).split('\n')
    pending = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}
