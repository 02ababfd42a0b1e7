import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openPGlite } from '../../server/store/connect-embedded.js'
import { startUsher, usher as usherProcess } from '../support/child.js'
import { query } from '../support/citus.js'
import { runUsher } from '../support/command-line.js'
import { it as operatorTest } from '../support/operator.js'
import { freePort } from '../support/postgres-server.js'
import { createFolderSettings, createPostgresSettings } from '../support/store.js'

const unreachableStore = async () => ({
  DATABASE_URL: `postgresql://postgres:hunter2@127.0.0.1:${await freePort()}/usher`,
  USHER_MASTER_KEY: Buffer.alloc(32).toString('base64'),
})

/** Returns the stdout of a command. Fails if it exits with an error or writes more than audit lines to stderr. */
const it = operatorTest.extend('print', ({ usher }) => async (command: string) => {
  const { code, stdout, stderr } = await usher.operator(command)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(\{.*\}\n)*$/) })
  return stdout
})

interface Ended {
  code: unknown
  stdout: string
  stderr: string
}

const textOf = ({ code, stdout, stderr }: Ended) => `${code} ${stdout}${stderr}`

/** Returns exit code and output of a command. `serve` may only fail: other files of the worker use this process. */
const outcomeOf = async (command: string, env: Record<string, string>) =>
  textOf(await runUsher(command.split(' '), { WORKERS: '1', ...env }))

describe('commands without a store', () => {
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

  it.for(['--version', '-v'])('%s prints the version', async (flag) => {
    const { version } = JSON.parse(
      await readFile(new URL('../../server/package.json', import.meta.url), 'utf8'),
    )
    expect(await outcomeOf(flag, {})).toBe(`0 ${version}\n`)
  })

  it('usher help lists the subcommands of a group, and the options of a command', async () => {
    const outputOf = async (command: string) => (await runUsher(command.split(' '), {})).stdout
    expect(await outputOf('help database')).toBe(await outputOf('database --help'))
    expect(await outputOf('help database')).toContain('create [options] <workspace/name>')
    expect(await outputOf('help database create')).toBe(await outputOf('database create --help'))
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
  ])('usher %s is a usage error: exits 2 with one line on stderr', async (command, line) => {
    const { code, stdout, stderr } = await runUsher(command.split(' ').filter(Boolean), {})
    expect(stderr).toContain(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('serve reports all invalid settings without their values, exits 2 and creates nothing', async () => {
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
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent
  USHER_MASTER_KEY must be 32 bytes as base64 (openssl rand -base64 32)
  TOKEN_MAX_AGE must be a whole number from 60 to 86400
`)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  it.each(['migrate', 'workspace create acme', 'database create acme/app', 'database list'])(
    '%s exits 5 and reports that the store is unreachable',
    async (command) => {
      expect(await runUsher(command.split(' '), await unreachableStore())).toMatchObject({
        code: 5,
        stdout: '',
        stderr: 'usher: cannot reach the store. Check DATABASE_URL, and that Postgres is running\n',
      })
    },
  )

  it('openapi --management prints the document of the management API', async () => {
    const file = new URL('../../contract/management-openapi.json', import.meta.url)
    const { stdout } = await runUsher(['openapi', '--management'], {})
    expect(JSON.parse(stdout)).toEqual(JSON.parse(await readFile(file, 'utf8')))
  })

  it('openapi prints the document, on one line with --json', async () => {
    const file = new URL('../../contract/openapi.json', import.meta.url)
    const committed = JSON.parse(await readFile(file, 'utf8'))
    const pretty = await usherProcess(['openapi'])
    const line = await runUsher(['openapi', '--json'], { BASE_URL: 'https://id.example.com/' })
    expect(JSON.parse(pretty.stdout)).toEqual(committed)
    expect(line.stdout).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(line.stdout)).toMatchObject({
      info: committed.info,
      servers: [{ url: 'https://id.example.com' }],
    })
  })
})

describe('commands on a Postgres store', () => {
  it('workspace create creates a workspace and rejects an existing or invalid slug', async ({
    usher,
    print,
  }) => {
    expect(await print('workspace create one')).toBe('Created workspace one.\n')
    expect(await usher.json('workspace create two')).toMatchObject({ id: expect.any(String), slug: 'two' })
    expect(await usher.outcome('workspace create one')).toBe('4 usher: workspace one already exists\n')
    expect(await usher.outcome('workspace create a.b')).toMatch(/^2 usher: slug must be 1 to 63 .*\n$/)
  })

  it('database create creates a database that database list shows, and rejects invalid paths', async ({
    usher,
    print,
  }) => {
    await print('workspace create acme')
    expect(await print('database list')).toBe('No databases yet.\n')
    const url = 'http://localhost:3000/workspaces/acme/databases/app'
    expect(await print('database create acme/app')).toBe(`Created database ${url}\n`)
    const created = await usher.json('database create acme/strict --password-policy nist')
    expect(created).toMatchObject({ name: 'strict', url: url.replace('app', 'strict'), webhookSecret: null })
    expect((await usher.json('database show acme/strict')).values.passwordPolicy).toBe('nist')

    const outcome = (path: string) => usher.outcome(`database create ${path}`)
    expect(await outcome('acme/app')).toBe('4 usher: database acme/app already exists\n')
    expect(await outcome('nowhere/app')).toBe(
      '3 usher: workspace nowhere does not exist. Create it with: npx @usher/server workspace create nowhere\n',
    )
    expect(await outcome('acme/a%20b')).toMatch(/^2 usher: name must be 1 to 63 .*\n$/)
    const otherKey = { USHER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    expect(await print('database list')).toMatch(
      /^DATABASE {5}ID {36}STATE\nacme\/app {5}[0-9a-f-]{36} {2}active\nacme\/strict {2}[0-9a-f-]{36} {2}active\n$/,
    )
    expect(await usher.rows('database list')).toEqual([
      expect.objectContaining({ workspace: 'acme', name: 'app' }),
      expect.objectContaining({ id: created.id, createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }),
    ])
    expect(await usher.outcome('database list', '', otherKey)).toEqual(
      expect.stringMatching(
        /^1 usher: USHER_MASTER_KEY cannot decrypt .* Set it to the master key of the servers/,
      ),
    )
  })

  it('serve exits 1 if its port is in use', async ({ usher }) => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    const env = { ...usher.env, HOST: '127.0.0.1', PORT: String(port) }
    for (const WORKERS of ['1', '2']) {
      expect(textOf(await usherProcess(['serve'], { ...env, WORKERS }))).toBe(
        `1 usher: port ${port} is already in use. Set PORT to another one\n`,
      )
    }
    other.close()
  })
})

it.for([
  ['HOST', '192.0.2.1', 'must be an address of this machine, such as 0.0.0.0. 192.0.2.1 is none'],
  ['METRICS_HOST', '192.0.2.1', 'must be an address of this machine, such as 0.0.0.0. 192.0.2.1 is none'],
  ['HOST', 'a..b', 'must be an address of this machine. a..b is unknown'],
  ['METRICS_HOST', 'a..b', 'must be an address of this machine. a..b is unknown'],
] as const)('serve exits 2 with %s=%s, and names it', async ([name, value, error], { usher }) => {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = { ...usher.env, PORT: String(port), METRICS_PORT: String(metricsPort), [name]: value }
  const outcome = await usher.outcome('serve', '', env)
  expect(outcome).toContain(`2 usher: invalid configuration:\n  ${name} ${error}`)
})

describe('commands on a store of an earlier checkout', () => {
  const earlier = `UPDATE usher._prisma_migrations SET migration_name = '20261121000000_init'`
  const refused =
    '1 usher: the store was created by an earlier checkout and cannot be upgraded. Export each database with that ' +
    'checkout: usher user export. Import the files into a new store with this version: usher user import\n'

  async function expectRefused(env: Record<string, string>) {
    for (const command of ['serve', 'migrate', 'database list'])
      expect([command, await outcomeOf(command, env)]).toEqual([command, refused])
  }

  it('serve and commands refuse a Postgres store', async () => {
    const { env, remove } = await createPostgresSettings()
    await query(String(env.DATABASE_URL), earlier)
    await expectRefused(env)
    await remove()
  })

  it('serve and commands refuse an embedded store', async () => {
    const { env, remove } = await createFolderSettings()
    const pglite = await openPGlite({ dataDir: join(String(env.DATA_DIR), 'store') })
    await pglite.exec(earlier)
    await pglite.close()
    await expectRefused(env)
    await remove()
  })
})

describe('commands on an empty Postgres database', () => {
  it('migrate applies pending migrations once, and all other commands require them', async () => {
    const { env, remove } = await createPostgresSettings(false)
    const run = (command: string) => outcomeOf(command, env)
    const pending =
      /^1 usher: the store has \d+ pending migration\(s\), first \w+\. Run: npx @usher\/server migrate\n$/
    expect(await run('database list')).toMatch(pending)
    expect(await run('serve')).toMatch(pending)
    expect(await run('migrate')).toMatch(/^0 Applied \w+_init.*\n$/)
    expect(await run('migrate')).toBe('0 The store is up to date.\n')
    expect(await run('migrate --json')).toBe('0 {"applied":[]}\n')
    await remove()
  })

  it.for(['migrate', 'database list'])('%s says how to create the Postgres database', async (command) => {
    const { env, remove } = await createPostgresSettings(false)
    await remove()
    const name = env.DATABASE_URL?.split('/').at(-1)
    expect(await outcomeOf(command, env)).toBe(
      `1 usher: Postgres has no database "${name}". Create it, for example with: createdb ${name}\n`,
    )
  })

  it('commands print the error message of Postgres', async () => {
    const { env, remove } = await createPostgresSettings()
    const nobody = new URL(env.DATABASE_URL ?? '')
    nobody.username = 'nobody'
    expect(await outcomeOf('database list', { ...env, DATABASE_URL: nobody.href })).toBe(
      '1 usher: role "nobody" does not exist\n',
    )
    await remove()
  })
})

describe('commands on an embedded store', () => {
  it.for([
    'workspace list',
    'workspace delete acme',
    'database list',
    'database create acme/app',
    'user show acme/app ada@example.com',
    'user export acme/app',
    'keys list acme/app',
  ])('%s reports that there is no store, and creates none', async (command) => {
    const parent = await mkdtemp(join(tmpdir(), 'usher-none-'))
    const DATA_DIR = join(parent, 'data')
    const line = `1 usher: no store in ${DATA_DIR}. Set DATABASE_URL or DATA_DIR, or create a store with: npx @usher/server migrate\n`
    expect(await outcomeOf(command, { DATA_DIR })).toBe(line)
    expect(await readdir(parent)).toEqual([])
    // A first start that was killed.
    await mkdir(join(DATA_DIR, 'store'), { recursive: true })
    await writeFile(join(DATA_DIR, 'store.unfinished'), '')
    expect(await outcomeOf(command, { DATA_DIR })).toBe(line)
    await rm(parent, { recursive: true })
  })

  it('commands work in the same way, also next to a server', async () => {
    const { env, remove } = await createFolderSettings(false)
    const run = (command: string) => outcomeOf(command, env)
    expect(await run('workspace create acme')).toMatch(/^0 Created workspace acme\.\n/)
    expect(await run('migrate')).toBe('0 The store is up to date.\n')
    expect(await run('database create acme/app --json')).toMatch(/^0 \{.*"name":"app".*\}\n/)

    const server = startUsher(['serve'], { ...env, PORT: String(await freePort()) })
    await server.printed('/workspaces/acme/databases/app/users')
    const inUse = `5 usher: ${env.DATA_DIR} is in use by another process, such as a running server. Stop the server, then run the command again\n`
    expect(await run('database list')).toMatch(/^0 DATABASE .*\nacme\/app {2}/)
    expect(await run('serve')).toBe(inUse)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(await run('database list')).toMatch(/^0 DATABASE .*\nacme\/app {2}/)
    await remove()
  })
})
