import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { noSettings } from './no-settings.js'

const running = new Map<ChildProcess, Promise<unknown>>()
/** Processes that run until their worker stops them. */
const shared = new Set<ChildProcess>()

/** Kills the processes that a test file has left running, with the processes that those have started. */
export async function killChildren() {
  const left = [...running].filter(([child]) => !shared.has(child))
  killGroups(left.map(([child]) => child))
  await Promise.allSettled(left.map(([, ended]) => ended))
}

/** Lets a process run after its test file, for the other files of the worker. */
export const share = ({ child }: Pick<Child, 'child'>) => void shared.add(child)

/** SIGKILL ends npm and shells, but not their children, which keep the output open. Windows has no process groups. */
const hasGroups = process.platform !== 'win32'

function killGroups(children: Iterable<ChildProcess>) {
  for (const { pid } of children) {
    try {
      if (pid) process.kill(hasGroups ? -pid : pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

// Ctrl-C does not reach the groups.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killGroups(running.keys())
    process.kill(process.pid, signal)
  })
}

// biome-ignore lint/style/noProcessEnv: a child needs the path of the system, and none of the developer's settings
const { PATH = '' } = process.env

// With more space for new objects, a start collects less garbage: a tenth of its CPU time.
const shortRun = `--import=${new URL('short-run.js', import.meta.url).href} --max-semi-space-size=64`

export type Child = ReturnType<typeof startChild>

/** Starts a process with only this environment, and records its output. It is killed after the test file. */
export function startChild(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    env: { PATH, ...noSettings, ...env, NODE_OPTIONS: `${shortRun} ${env.NODE_OPTIONS ?? ''}` },
    detached: hasGroups,
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const ended = once(child, 'close')
    .finally(() => running.delete(child))
    .then(([code, signal]: (number | string | null)[]) => ({ code, signal, ...output }))
  running.set(child, ended)

  /** Waits until the process has printed the text, for almost as long as a test may take. Throws if it exits before. */
  async function printed(text: string, timeout = 55_000) {
    const all = () => output.stdout + output.stderr
    const early = ended.then(() => {
      if (!all().includes(text)) throw new Error(`ended without ${text}:\n${all()}`)
    })
    const seen = vi.waitFor(
      () => {
        if (!all().includes(text)) throw new Error(`no ${text} in:\n${all()}`)
      },
      { timeout, interval: 20 },
    )
    await Promise.race([seen, early])
  }
  return { child, output, ended, printed, signal: (name: NodeJS.Signals) => child.kill(name) }
}

const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))

/** Starts the built `usher`, or the build in `file`. */
export const startUsher = (args: string[], env: Record<string, string> = {}, file = bin) =>
  startChild(process.execPath, [file, ...args], env)

/** Runs the built `usher` until it exits. */
export const usher = (args: string[], env: Record<string, string> = {}, file = bin) =>
  startUsher(args, env, file).ended
