import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Config } from '../../config.js'
import type { ConsoleOperator } from '../../domain/change.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { type Files, filesAt } from './files.js'
import { jsonText } from './output.js'

/** A command, as it was typed. */
export interface TypedCommand {
  /** With its group, such as `user create`. */
  name: string
  /** The arguments by name, such as `workspace/name`. */
  args: Readonly<Record<string, unknown>>
  options: Readonly<Record<string, unknown>>
}

/** The operator of the console who runs a command on another machine. */
export interface RemoteOperator extends ConsoleOperator {
  /** The log of the server, which gets the audit lines too. */
  log: Log
  /** Ids of the workspaces that the operator may see. Undefined: all. */
  workspaceIds: readonly string[] | undefined
}

/** Where a command runs: in its own process, or in a server on behalf of its own process. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number | undefined }
  /** Whether stderr shows colors. */
  readonly hasColors: boolean
  /** Name of the operating system's user who runs the command, or the id of the operator of the console. */
  readonly operator: string
  readonly remote?: RemoteOperator
  /** The settings and the open store of a server that runs the command. */
  readonly server?: { config: Config; store: Store }
  /** Runs a command if its operator may run it. `run` runs it on a host that shows what the operator may see. */
  readonly admit?: (
    command: TypedCommand,
    host: Host,
    run: (admitted: Host) => Promise<void>,
  ) => Promise<void>
  /** Prints a result: the text, or the value with --json. */
  print(options: { json?: boolean }, value: unknown, text: string): void
  /** Returns the absolute path of a file that an argument names. @throws {Problem} on a server that is not on this machine */
  resolve(file: string): string
  readonly files: Files
  /** Calls a function at the first signal, which then does not end the command. Returns a function that ends this. */
  onInterruption(interrupt: () => void): () => void
}

/** Runs a command, and returns its exit code. */
export type Run = (args: readonly string[], host: Host) => Promise<number>

/** Returns a function that prints results on a stream. */
export const printTo =
  (stdout: NodeJS.WritableStream): Host['print'] =>
  (options, value, text) =>
    void stdout.write(`${options.json ? jsonText(value) : text}\n`)

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
  resolve: (file) => resolve(file),
  files: filesAt(resolve),
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
