import { userInfo } from 'node:os'
import { jsonText } from './output.js'

/** Where a command runs. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number | undefined }
  /** Whether stderr shows colors. */
  readonly hasColors: boolean
  /** Name of the operating system's user who runs the command. */
  readonly operator: string
  /** Prints a result: the text, or the value with --json, which is `{}` for a response without a body. */
  print(options: { json?: boolean }, value: unknown, text: string): void
  /** Calls a function at the first signal, which then does not end the command. Returns a function that ends this. */
  onInterruption(interrupt: () => void): () => void
}

/** Returns a function that prints results on a stream. */
export const printTo =
  (stdout: NodeJS.WritableStream): Host['print'] =>
  (options, value, text) =>
    void stdout.write(`${options.json ? jsonText(value ?? {}) : text}\n`)

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Returns the host of a command in its own process. */
export const ownProcess = (): Host => ({
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  get hasColors() {
    // Undefined if it is no terminal.
    return Boolean(process.stderr.isTTY && process.stderr.hasColors())
  },
  get operator() {
    return operatorName()
  },
  print: printTo(process.stdout),
  onInterruption(interrupt) {
    for (const signal of signals) process.once(signal, interrupt)
    return () => {
      for (const signal of signals) process.off(signal, interrupt)
    }
  },
})

/** Returns the name of the operating system's user, or the number of a user without a name. */
export function operatorName(readUser: () => { username: string } = userInfo) {
  try {
    return readUser().username
  } catch {
    return String(process.getuid?.())
  }
}
