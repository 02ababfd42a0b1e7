import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it as test } from 'vitest'
import { startChild } from '../support/child.js'

const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))

/** `run` runs a command in a new folder, with the settings of `env` and no other. */
const it = test
  .extend('folder', async ({ task }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), `usher-env-${task.id}-`))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  .extend('run', ({ folder }) => async (command: string, env: Record<string, string> = {}) => {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const script = `cd "$1" && exec env -i ${settings.join(' ')} "$2" "$3" ${command}`
    return startChild('sh', ['-c', script, 'sh', folder, process.execPath, bin]).ended
  })

const baseUrlOf = (stdout: string) => JSON.parse(stdout).servers[0].url

it('reads settings from .env, which the environment overrides', async ({ folder, run }) => {
  await writeFile(join(folder, '.env'), '# Settings\nBASE_URL="https://id.example.com"\nTOKEN_MAX_AGE=\n')
  expect(baseUrlOf((await run('openapi')).stdout)).toBe('https://id.example.com')
  const overridden = await run('openapi', { BASE_URL: 'https://other.example.com' })
  expect(baseUrlOf(overridden.stdout)).toBe('https://other.example.com')
})

it('reports an invalid setting of .env by its name', async ({ folder, run }) => {
  await writeFile(join(folder, '.env'), 'DATABASE_URL=mysql://root:hunter2@localhost/usher\n')
  const { code, stderr } = await run('database list')
  expect(code).toBe(2)
  expect(stderr).toContain('DATABASE_URL must be a postgres:// or postgresql:// URL')
  expect(stderr).not.toContain('hunter2')
})

it('ignores a folder named .env', async ({ folder, run }) => {
  await mkdir(join(folder, '.env'))
  expect((await run('openapi')).code).toBe(0)
})
