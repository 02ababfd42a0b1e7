import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { startUsher, usher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { it as operatorTest } from '../support/operator.js'
import { freePort } from '../support/postgres-server.js'
import { makeFolderSettings, makePostgresSettings } from '../support/store.js'

const away = async () => ({
  DATABASE_URL: `postgresql://postgres:hunter2@127.0.0.1:${await freePort()}/usher`,
  USHER_MASTER_KEY: Buffer.alloc(32).toString('base64'),
})

/** What a command prints; it must succeed, and print no more than its audit on stderr. */
const it = operatorTest.extend('print', ({ usher }) => async (command: string) => {
  const { code, stdout, stderr } = await usher.operator(command)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(\{.*\}\n)*$/) })
  return stdout
})

/** The exit code and the output of a command. A server runs in a process of its own, as the built one. */
async function outcomeOf(command: string, env: Record<string, string>) {
  const run = command === 'serve' ? usher : runUsher
  const { code, stdout, stderr } = await run(command.split(' '), env)
  return `${code} ${stdout}${stderr}`
}

describe('without a store', () => {
  it.each([
    ['serve'],
    ['migrate'],
    ['workspace create'],
    ['database create'],
    ['database list'],
    ['user import'],
    ['user export'],
    ['openapi'],
  ])('%s --help prints its usage and exits 0', async (command) => {
    const { code, stdout, stderr } = await runUsher([...command.split(' '), '--help'], {})
    expect(stdout).toMatch(new RegExp(`^Usage: usher ${command} \\[options\\]`))
    expect(stdout).toContain('--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it.each([
    ['', 'Usage: usher'],
    ['nope', "unknown command 'nope'"],
    ['serve twice', "too many arguments for 'serve'"],
    ['database list --nope', "unknown option '--nope'"],
    ['workspace create', "missing required argument 'slug'"],
    ['database create acme', 'Expected WORKSPACE/NAME.'],
    ['database create acme/app/x', 'Expected WORKSPACE/NAME.'],
    ['database create acme/app --password-policy weak', 'Allowed choices are none, standard, nist.'],
  ])('usher %s is misuse: a line on stderr and exit 2', async (command, line) => {
    const { code, stdout, stderr } = await runUsher(command.split(' ').filter(Boolean), {})
    expect(stderr).toContain(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('bad settings are all named without their values, exit 2, and nothing is started', async () => {
    const DATA_DIR = join(tmpdir(), 'usher-never-made')
    const env = {
      PORT: '70000',
      TOKEN_MAX_AGE: '1h',
      USHER_MASTER_KEY: 'hunter2',
      LOG_LEVEL: 'loud',
      DATA_DIR,
    }
    const { code, stdout, stderr } = await runUsher(['serve'], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`usher: invalid configuration:
  PORT must be a whole number from 1 to 65535
  USHER_MASTER_KEY must be 32 bytes as base64 (openssl rand -base64 32)
  TOKEN_MAX_AGE must be a whole number from 60 to 86400
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent
`)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  it.each(['migrate', 'workspace create acme', 'database create acme/app', 'database list'])(
    '%s says that the store is away, exit 1',
    async (command) => {
      expect(await runUsher(command.split(' '), await away())).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'usher: cannot reach the store. Check DATABASE_URL, and that Postgres is running\n',
      })
    },
  )

  it('openapi prints the document, with --json on one line', async () => {
    const file = new URL('../../contract/openapi.json', import.meta.url)
    const committed = JSON.parse(await readFile(file, 'utf8'))
    const pretty = await usher(['openapi'])
    const line = await runUsher(['openapi', '--json'], { BASE_URL: 'https://id.example.com/' })
    expect(JSON.parse(pretty.stdout)).toEqual(committed)
    expect(line.stdout).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(line.stdout)).toMatchObject({
      info: committed.info,
      servers: [{ variables: { baseUrl: { default: 'https://id.example.com' } } }],
    })
  })
})

describe('on a server', () => {
  it('workspace create makes one, and refuses a taken slug and a bad one', async ({ usher, print }) => {
    expect(await print('workspace create one')).toBe('Created workspace one.\n')
    expect(await usher.json('workspace create two')).toEqual({ id: expect.any(String), slug: 'two' })
    expect(await usher.refusal('workspace create one')).toBe('1 usher: workspace one already exists\n')
    expect(await usher.refusal('workspace create a.b')).toMatch(
      /^2 usher: workspace slug "a\.b" must be 1 to 63 .*\n$/,
    )
  })

  it('database create makes one, which database list shows, and refuses what cannot be', async ({
    usher,
    print,
  }) => {
    await print('workspace create acme')
    expect(await print('database list')).toBe('No databases yet.\n')
    const url = 'http://localhost:3000/workspaces/acme/databases/app'
    expect(await print('database create acme/app')).toBe(`Created database ${url}\n`)
    const made = await usher.json('database create acme/strict --password-policy nist')
    const strict = { id: made.id, workspaceSlug: 'acme', databaseName: 'strict', passwordPolicy: 'nist' }
    expect(made).toEqual({ ...strict, url: url.replace('app', 'strict') })

    const refusal = (path: string) => usher.refusal(`database create ${path}`)
    expect(await refusal('acme/app')).toBe('1 usher: database acme/app already exists\n')
    expect(await refusal('nowhere/app')).toBe(
      '1 usher: workspace nowhere does not exist. Create it with: usher workspace create nowhere\n',
    )
    expect(await refusal('acme/a%20b')).toMatch(/^2 usher: database name "a%20b" must be 1 to 63 .*\n$/)
    const otherKey = { USHER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    expect(await print('database list')).toMatch(
      /^acme\/app {2}[0-9a-f-]{36}\nacme\/strict {2}[0-9a-f-]{36}\n$/,
    )
    expect(await usher.json('database list')).toEqual([
      expect.objectContaining({ databaseName: 'app', passwordPolicy: 'standard' }),
      expect.objectContaining({ ...strict, createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }),
    ])
    expect(await usher.refusal('database list', '', otherKey)).toBe(
      '1 usher: USHER_MASTER_KEY did not seal the signing keys of this store\n',
    )
  })

  it('serve gives up where another listens on its port', async ({ usher }) => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    const env = { ...usher.env, HOST: '127.0.0.1', PORT: String(port) }
    for (const WORKERS of ['1', '2']) {
      expect(await outcomeOf('serve', { ...env, WORKERS })).toBe(
        `1 usher: port ${port} is already in use. Set PORT to another one\n`,
      )
    }
    other.close()
  })
})

describe('on a bare server', () => {
  it('migrate applies what is lacking, once; all else waits for it', async () => {
    const { env, remove } = await makePostgresSettings(false)
    const run = (command: string) => outcomeOf(command, env)
    const lacking = /^1 usher: the store has \d+ pending migration\(s\), first \w+\. Run: usher migrate\n$/
    expect(await run('database list')).toMatch(lacking)
    expect(await run('serve')).toMatch(lacking)
    expect(await run('migrate')).toMatch(/^0 Applied \w+_init.*\n$/)
    expect(await run('migrate')).toBe('0 The store is up to date.\n')
    expect(await run('migrate --json')).toBe('0 {"applied":[]}\n')
    await remove()
  })

  it('what Postgres refuses is said in its words', async () => {
    const { env, remove } = await makePostgresSettings(false)
    await remove()
    expect(await outcomeOf('database list', env)).toMatch(/^1 usher: database "usher_\w+" does not exist\n$/)
  })
})

describe('on a folder', () => {
  it('the commands work alike, but not while a server has it', async () => {
    const { env, remove } = await makeFolderSettings(false)
    const run = (command: string) => outcomeOf(command, env)
    expect(await run('migrate')).toMatch(/^0 Applied \w+_init.*\n$/)
    expect(await run('workspace create acme')).toMatch(/^0 Created workspace acme\.\n/)
    expect(await run('database create acme/app --json')).toMatch(/^0 \{.*"databaseName":"app".*\}\n/)

    const server = startUsher(['serve'], { ...env, PORT: String(await freePort()) })
    await server.printed('/workspaces/acme/databases/app/users')
    const inUse = `1 usher: ${env.DATA_DIR} is in use by another process, such as a running server. Stop that process first\n`
    expect(await run('database list')).toBe(inUse)
    expect(await run('serve')).toBe(inUse)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(await run('database list')).toMatch(/^0 acme\/app {2}/)
    await remove()
  })
})
