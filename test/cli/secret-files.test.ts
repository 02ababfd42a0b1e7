import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { secretVariables } from '../../server/environment.js'
import { runUsher } from '../support/command-line.js'
import { it, startOperator } from '../support/operator.js'
import { openTestStore } from '../support/store.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-secrets-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function secretFile(name: string, content: string) {
  const file = join(folder, name)
  await writeFile(file, content)
  return file
}

/** Returns the stderr of a command that rejects these settings. */
async function errorsOf(env: Record<string, string>) {
  const { code, stdout, stderr } = await runUsher(['database', 'list'], env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr
}

it.for(['', '\n', '\r\n'])(
  'reads each secret from a file that ends with %j',
  async (end, { usher, database, store }) => {
    const { path } = database
    const { DATABASE_URL = '', USHER_MASTER_KEY = '' } = store.settings ?? {}
    const next = Buffer.alloc(32, 9).toString('base64')
    const env = {
      DATABASE_URL: '',
      USHER_MASTER_KEY: '',
      DATABASE_URL_FILE: await secretFile('url', DATABASE_URL + end),
      USHER_MASTER_KEY_FILE: await secretFile('key', USHER_MASTER_KEY + end),
      USHER_NEW_MASTER_KEY_FILE: await secretFile('next', next + end),
    }
    const { code, stdout, stderr } = await usher.operator('database list --json', '', env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { databases } = JSON.parse(stdout) as { databases: { name: string }[] }
    expect(databases.map(({ name }) => name)).toContain(path.split('/')[1])
  },
)

it('re-encrypts the keys with a new master key from a file', async () => {
  const store = await openTestStore('postgres')
  const own = await startOperator(store)
  await own.newDatabase()
  const next = Buffer.alloc(32, 9).toString('base64')
  const file = await secretFile('next', `${next}\n`)
  const { code, stderr } = await own.operator('keys rewrap', '', { USHER_NEW_MASTER_KEY_FILE: file })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect((await own.operator('database list', '', { USHER_MASTER_KEY: next })).code).toBe(0)
  await own.close()
  await store.close()
})

it.each(secretVariables)('rejects %s together with its file, naming both', async (name) => {
  const file = await secretFile('both', 'hunter2')
  const stderr = await errorsOf({ [name]: 'hunter2', [`${name}_FILE`]: file })
  expect(stderr).toContain(`${name} and ${name}_FILE are both set. Set one of them`)
  expect(stderr).not.toContain('hunter2')
})

it('names every file that cannot be used, without its path or content', async () => {
  const stderr = await errorsOf({
    DATABASE_URL_FILE: await secretFile('empty', '\n'),
    USHER_MASTER_KEY_FILE: join(folder, 'hunter2'),
    USHER_NEW_MASTER_KEY_FILE: folder,
  })
  expect(stderr).toContain('DATABASE_URL_FILE names an empty file')
  expect(stderr).toContain('USHER_MASTER_KEY_FILE names a file that cannot be read (ENOENT)')
  expect(stderr).toContain('USHER_NEW_MASTER_KEY_FILE names a file that cannot be read (EISDIR)')
  expect(stderr).not.toContain('hunter2')
})

it('checks the content of a file like the variable, without showing it', async () => {
  const stderr = await errorsOf({
    DATABASE_URL_FILE: await secretFile('url', 'mysql://root:hunter2@localhost/usher'),
    USHER_MASTER_KEY_FILE: await secretFile('key', 'hunter2'),
  })
  expect(stderr).toContain('DATABASE_URL must be a postgres:// or postgresql:// URL')
  expect(stderr).toContain('USHER_MASTER_KEY must be 32 bytes as base64')
  expect(stderr).not.toContain('hunter2')
})
