import { PassThrough, Readable } from 'node:stream'
import { vi } from 'vitest'
import { run } from '../../server/cli/program.js'
import { noSettings } from './no-settings.js'

/** Texts typed on a terminal, one per prompt, or the content of stdin, where neither input nor output is a terminal. */
export type Input = string | readonly string[]

/** How stderr may begin if a command fails, after audit lines and questions: an error, the help, or rejected lines of an import. */
const failure = /(^|: |G)usher: |^Usage: usher|^line \d+: /m

/**
 * Runs the command line in this process, with only this environment.
 *
 * @throws if the command fails without an error that begins as all do
 */
export async function runUsher(args: readonly string[], env: Record<string, string>, input: Input = '') {
  const typed = Array.isArray(input) ? [...input] : []
  const stdin = Array.isArray(input)
    ? Object.assign(new PassThrough(), { isTTY: true })
    : Readable.from(input === '' ? [] : [input])
  const output = { stdout: '', stderr: '' }
  const keep = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      output[name] += chunk
      const asks = name === 'stderr' && String(chunk).endsWith(': ')
      if (asks && stdin instanceof PassThrough) setImmediate(() => stdin.write(`${typed.shift()}\r`))
      return true
    })
  const spies = [keep('stdout'), keep('stderr'), vi.spyOn(process, 'stdin', 'get')]
  spies[2]?.mockReturnValue(stdin as never)
  const { isTTY } = process.stderr
  process.stderr.isTTY = Array.isArray(input)
  for (const [name, value] of Object.entries({ ...noSettings, ...env })) vi.stubEnv(name, value)
  try {
    const code = await run(args)
    if (code !== 0 && !args.includes('--json') && !failure.test(output.stderr))
      throw new Error(`usher ${args.join(' ')} failed with: ${output.stderr}`)
    const lines = output.stderr.split('\n')
    const audited = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    return { code, ...output, audited }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.stderr.isTTY = isTTY
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
