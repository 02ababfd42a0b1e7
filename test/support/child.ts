import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { noSettings } from './no-settings.js'

const running = new Set<ChildProcess>()

/** Kills the processes that a test file has left running. */
export async function killChildren() {
  for (const child of running) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
}

// biome-ignore lint/style/noProcessEnv: a child needs the path of the system, and none of the developer's settings
const { PATH = '' } = process.env

export type Child = ReturnType<typeof startChild>

/** Starts a process with only this environment, and records its output. It is killed after the test file. */
export function startChild(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, { env: { PATH, ...noSettings, ...env } })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => {
    running.delete(child)
    return { code, signal, ...output }
  })

  /** Waits until the process has printed the text. Throws if it exits before. */
  async function printed(text: string, timeout = 30_000) {
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
