import { type SpawnSyncOptions, spawnSync } from 'node:child_process'

/** Runs a program to its end, and returns what it prints. Throws if it fails or does not exist. */
export function runProgram(
  options: Pick<SpawnSyncOptions, 'cwd' | 'env'>,
  program: string,
  ...args: string[]
) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`)
  return { stdout, stderr }
}
