import type { Duplex } from 'node:stream'

/** What a server needs to know about the process of a command. */
export interface Start {
  /** Version of Usher. */
  version: string
  args: readonly string[]
  /** Whether stdin is a terminal. */
  typesInput: boolean
  /** Whether stderr is a terminal. */
  showsErrors: boolean
  hasColors: boolean
  columns?: number | undefined
}

/** What a server on the same machine also needs to know. */
export interface LocalStart extends Start {
  cwd: string
  operator: string
}

/** What a server on another machine asks the process of a command for. */
export type Question = { confirm: true } | FileQuestion

/** What to do with a file. */
export interface FileQuestion {
  file: 'sizeOf' | 'read' | 'create' | 'append' | 'close' | 'remove'
  name: string
  text?: string
}

/** The answer to a question: a value, or the code of an error. A chunk of a file is base64, and null at its end. */
export type Answer = { answer: number; value?: unknown; error?: string }

/** A message of a command's process. The first one is {@link Start}. */
export type ClientMessage =
  /** A chunk of stdin as base64, or null at its end. */
  | { stdin: string | null }
  /** Nothing reads stdout any more. */
  | { closed: 'stdout' }
  /** A signal came. */
  | { interrupted: true }
  | Answer

/** A message of the server. */
export type ServerMessage =
  | { stdout: string }
  | { stderr: string }
  /** The command reads a chunk of stdin. */
  | { read: true }
  | { rawMode: boolean }
  /** Whether a signal shall not end the process of the command. */
  | { handlesSignals: boolean }
  /** A question, with the number of its answer. */
  | { ask: Question; number: number }
  | { exitCode: number }
  /** The server is of this version, and does not run the command. */
  | { version: string }

/** Returns a function that sends messages. Its promise resolves when the system has the message, or when it cannot be sent. */
export const senderTo =
  <Message>(connection: Duplex) =>
  (message: Message) =>
    new Promise<void>((resolve) => connection.write(`${JSON.stringify(message)}\n`, () => resolve()))

/**
 * Yields the messages that a connection receives, one JSON object a line.
 *
 * @param maxLength characters of the longest message
 */
export async function* messagesOf<Message>(
  connection: Duplex,
  maxLength = Number.POSITIVE_INFINITY,
): AsyncGenerator<Message> {
  let pending = ''
  for await (const chunk of connection.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (pending + chunk).split('\n')
    pending = lines.pop() ?? ''
    if (pending.length > maxLength) throw new Error('a message is too long')
    for (const line of lines) yield JSON.parse(line)
  }
}
