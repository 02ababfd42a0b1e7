import { PassThrough, Readable, Writable } from 'node:stream'
import { vi } from 'vitest'
import { type Host, operatorName, ownProcess, printTo } from '../../server/cli/io/host.js'
import { run } from '../../server/cli/program.js'
import { noSettings } from './no-settings.js'

/**
 * Texts typed on a terminal, one per prompt, or the content of stdin, where neither input nor output is a terminal. A function gets
 * what a terminal shows, and returns what is typed next, if anything.
 */
export type Input = string | readonly string[] | ((shown: string) => Promise<string | undefined>)

/** How stderr may begin if a command fails, after audit lines and questions: an error, the help, or rejected lines of an import. */
const failure = /(^|: |G)usher: |^Usage: usher|^line \d+: /m

/** Returns the host of a command, and what the command writes. */
export function hostWith(input: Input) {
  const isTyped = typeof input !== 'string'
  const typed = Array.isArray(input) ? [...input] : []
  const react =
    typeof input === 'function'
      ? input
      : async (shown: string) => (shown.endsWith(': ') ? String(typed.shift()) : undefined)
  const stdin = isTyped
    ? Object.assign(new PassThrough(), { isTTY: true })
    : Readable.from(input === '' ? [] : [input])
  const output = { stdout: '', stderr: '' }
  const keep = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        output[name] += text
        if (name === 'stderr' && stdin instanceof PassThrough)
          setImmediate(async () => {
            const line = await react(text)
            if (line !== undefined) stdin.write(`${line}\r`)
          })
        done()
      },
    })
  const stdout = keep('stdout')
  const { onInterruption } = ownProcess()
  const host: Host = {
    stdin,
    stdout,
    stderr: Object.assign(keep('stderr'), { isTTY: isTyped }),
    hasColors: false,
    operator: operatorName(),
    print: printTo(stdout),
    onInterruption,
  }
  return { host, output }
}

/**
 * Runs the command line in this process, with only this environment.
 *
 * @throws if the command fails without an error that begins as all do
 */
export async function runUsher(args: readonly string[], env: Record<string, string>, input: Input = '') {
  const { host, output } = hostWith(input)
  for (const [name, value] of Object.entries({ ...noSettings, ...env })) vi.stubEnv(name, value)
  try {
    const code = await run(args, host)
    if (code !== 0 && !args.includes('--json') && !failure.test(output.stderr))
      throw new Error(`usher ${args.join(' ')} failed with: ${output.stderr}`)
    const lines = output.stderr.split('\n')
    const audited = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    return { code, ...output, audited }
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Creates a workspace with a database. */
export async function createDatabase(workspace: string, name: string, env: Record<string, string>) {
  for (const command of [
    `workspace create ${workspace}`,
    `database create ${workspace}/${name} --sign-ups-per-hour 0`,
  ]) {
    const { code, stderr } = await runUsher(command.split(' '), env)
    if (code !== 0) throw new Error(stderr)
  }
}
