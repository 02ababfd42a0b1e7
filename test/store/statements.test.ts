import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { openPostgres } from '../../server/store/postgres.js'
import type { Store } from '../../server/store/store.js'
import { password, startApp, validUser } from '../support/app.js'
import { cheapHashes } from '../support/cheap-hashes.js'
import { runUsher } from '../support/command-line.js'
import { errorsOf } from '../support/one-database.js'
import { databaseUrl } from '../support/postgres-server.js'
import { type Logged, startLoggingPostgres } from '../support/statement-log.js'

const masterKey = Buffer.alloc(32, 7)
const newMasterKey = Buffer.alloc(32, 8).toString('base64')
const wrong = 'wrong password'

let folder: string
let logged: Logged[]
let distributed: Set<string>
const commands = new Set<string>()
let allCommands: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-statements-'))
  const server = await startLoggingPostgres()
  const [bare = '', url = ''] = ['bare', 'usher'].map((name) => databaseUrl(server.url, name))
  await onServer(server.url, ({ prisma }) => prisma.$executeRaw`CREATE DATABASE bare`)
  distributed = await onServer(bare, async ({ prisma }) => {
    await migrate(prisma)
    const tables = await prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'usher' AND column_name = 'database_id'`
    return new Set(tables.map(({ name }) => name))
  })
  await onServer(server.url, ({ prisma }) => prisma.$executeRaw`CREATE DATABASE usher TEMPLATE bare`)
  try {
    await onServer(url, useEveryOperation)
    await useEveryCommand(url)
    allCommands = await commandsUnder([])
  } finally {
    logged = await server.stop('usher')
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function onServer<Result>(url: string, work: (store: Store) => Promise<Result>) {
  const store = openPostgres(url, masterKey, () => undefined)
  return work(store).finally(store.close)
}

/** All answers of the three operations, and what else a server reads of a store. */
async function useEveryOperation(store: Store) {
  const api = await startApp(store)
  const { workspaceSlug, databaseName, users, ...database } = await api.newDatabase()
  await api.newDatabase()
  const user = validUser({ email: 'ada@example.com', newTenant: 'Engines' })
  const { token } = await database.signedUp(user)
  const headers = { 'idempotency-key': 'once' }
  const payload = validUser({ newTenant: 'Compilers' })
  const create = (body: object) => api.send({ method: 'POST', url: users, payload: body, headers })
  const statuses = [
    await database.createUser(validUser()),
    await database.createUser(user),
    await create(payload),
    await create(payload),
    await create({ ...payload, newTenant: 'Others' }),
    await database.me(token.jwt),
    await database.me('no.token.this'),
    await database.login({ email: 'ada@example.com', password: wrong }),
    await database.login({ email: 'ada@example.com', password }),
    ...(await inTurn(6, () => database.login({ email: 'nobody@example.com', password: wrong }))),
    await api.send({ method: 'GET', url: users.replace('users', '.well-known/jwks.json') }),
    await api.send({ method: 'GET', url: '/readyz' }),
  ].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([
    201, 409, 201, 201, 422, 200, 401, 401, 200, 401, 401, 401, 401, 401, 429, 200, 200,
  ])
  await api.close()
  const costlier = await startApp(store, { ARGON2_MEMORY_KIB: '16' })
  await costlier.client(workspaceSlug, databaseName).login({ email: 'ada@example.com', password })
  await costlier.close()
}

async function inTurn<Result>(times: number, work: () => Promise<Result>) {
  const results: Result[] = []
  for (let i = 0; i < times; i++) results.push(await work())
  return results
}

async function useEveryCommand(url: string) {
  const env = {
    DATABASE_URL: url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: '',
    ...cheapHashes,
  }
  const usher = async (command: string, input = '', more: object = {}) => {
    const { code, stdout, stderr } = await runUsher(
      `${command} --json`.split(' '),
      { ...env, ...more },
      input,
    )
    expect(code, `${command}: ${stderr}`).toBe(0)
    commands.add(
      command
        .split(' ')
        .slice(0, /^(migrate|openapi)/.test(command) ? 1 : 2)
        .join(' '),
    )
    return stdout
  }
  const ada = 'acme/app ada@example.com'
  const file = join(folder, 'users.ndjson')
  const tenants = [{ name: 'Engines' }, { name: 'Compilers' }]
  await writeFile(
    file,
    ['ada', 'grace'].map((name) => `${JSON.stringify({ email: `${name}@example.com`, tenants })}\n`).join(''),
  )
  await usher('migrate')
  await usher('workspace create acme')
  await usher('workspace list --after aaa')
  await usher('database create acme/app')
  await usher('database list --after aaa/aaa')
  await usher('database set acme/app --token-max-age 120')
  await usher(`user import acme/app ${file}`)
  await usher(`user import acme/app ${file}`)
  await usher('user export acme/app')
  const [{ id: tenant }] = JSON.parse(await usher('tenant list acme/app'))
  await usher(`tenant remove-user acme/app ${tenant} ada@example.com`)
  await usher(`tenant add-user acme/app ${tenant} ada@example.com`)
  const [{ id }] = JSON.parse(await usher(`user list acme/app --tenant ${tenant}`))
  await usher(`user list acme/app --after ${id}`)
  await usher(`tenant list acme/app --after ${tenant}`)
  await usher(`user show acme/app ${id}`)
  await usher(`user show ${ada}`)
  for (const verb of ['disable', 'enable', 'revoke-tokens', 'unlock']) await usher(`user ${verb} ${ada}`)
  await usher(`user set-password ${ada}`, 'another battery staple')
  await usher(`user delete ${ada}`)
  const [{ kid }] = JSON.parse(await usher('keys list acme/app'))
  await usher('keys rotate acme/app --activate-in 0')
  await usher(`keys retire acme/app ${kid}`)
  await usher('database delete acme/app --yes')
  await usher('workspace delete acme')
  await usher('keys rewrap', '', { USHER_NEW_MASTER_KEY: newMasterKey })
}

/** The commands that the help names, but for those that run on no store or another kind of it. */
async function commandsUnder(above: string[]): Promise<string[]> {
  const { stdout } = await runUsher([...above, '--help'], {})
  const names = [...(stdout.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
    ([, name = '']) => name,
  )
  if (names.length === 0) return [above.join(' ')]
  const found: string[] = []
  for (const name of names.filter((each) => !['help', 'serve', 'openapi', 'distribute'].includes(each))) {
    found.push(...(await commandsUnder([...above, name])))
  }
  return found
}

describe('on a distributed store', () => {
  it('every statement of the operations and the commands goes to one database alone', async () => {
    const faults = new Set<string>()
    for (const statement of logged) {
      for (const fault of await errorsOf(statement, distributed))
        faults.add(`${fault}: ${statement.sql.trim()}`)
    }
    // Holds up the making of keys while all are sealed anew; it reads and changes no row.
    expect([...faults]).toEqual([
      'signing_key is named outside a query: LOCK TABLE usher.signing_key IN SHARE ROW EXCLUSIVE MODE',
    ])
  })

  it('which are all commands, and statements on all tables', () => {
    expect([...commands].sort()).toEqual(allCommands.sort())
    const texts = new Set(logged.map(({ sql }) => sql.replaceAll('"', '')))
    expect(texts.size).toBeGreaterThan(60)
    const untouched = ['INSERT INTO', 'SELECT .* FROM', 'DELETE FROM'].flatMap((what) =>
      [...distributed]
        .map((table) => `${what} usher\\.${table}\\b`)
        .filter((pattern) => ![...texts].some((sql) => new RegExp(pattern, 's').test(sql))),
    )
    expect(untouched).toEqual([])
  })
})

describe('the check of a statement finds', () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const held = 'database_id = $1'

  it.each([
    [
      'nothing where the table is held to a value',
      `SELECT id FROM usher.tenant WHERE ${held}::uuid AND id = $2`,
      [],
    ],
    ['nothing in a list of one', 'SELECT FROM usher.tenant AS t WHERE t.database_id IN ($1)', []],
    ['nothing in rows', 'SELECT FROM usher.tenant WHERE (database_id, id) IN (($1, $2), ($1, $3))', []],
    [
      'nothing where each arm holds',
      `SELECT FROM usher.tenant WHERE ${held} AND id = $2 OR ${held} AND id = $3`,
      [],
    ],
    ['nothing in a small table', 'SELECT FROM usher.database', []],
    [
      'nothing in a row that is inserted',
      'INSERT INTO usher.tenant (id, database_id) VALUES ($2, $1), ($3, $1)',
      [],
    ],
    ['a table without a condition', 'SELECT FROM usher.tenant', ['tenant is not held to a database_id']],
    ['a table without its schema', 'SELECT FROM tenant', ['tenant is not held to a database_id']],
    [
      'a condition on another column',
      'DELETE FROM usher.tenant WHERE id = $1',
      ['tenant is not held to a database_id'],
    ],
    [
      'a condition that is no equality',
      'SELECT FROM usher.tenant WHERE database_id <> $1',
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality that does not always apply',
      `SELECT FROM usher.tenant WHERE ${held} OR id = $2`,
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality that is denied',
      `SELECT FROM usher.tenant WHERE NOT (${held})`,
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality on the table beside',
      'SELECT FROM usher.tenant AS t JOIN usher.membership AS m ON m.tenant_id = t.id WHERE t.database_id = $1',
      ['m is not held to a database_id'],
    ],
    [
      'an equality that only decides on the other side of an outer join',
      'SELECT FROM usher.tenant AS t LEFT JOIN usher.membership AS m ON t.database_id = $1 AND m.database_id = $1',
      ['t is not held to a database_id'],
    ],
    [
      'a query within one',
      `SELECT FROM usher.tenant WHERE ${held} AND id IN (SELECT tenant_id FROM usher.membership)`,
      ['membership is not held to a database_id'],
    ],
    [
      'a query beside one',
      `WITH gone AS (DELETE FROM usher.tenant) SELECT FROM usher.membership WHERE ${held}`,
      ['tenant is not held to a database_id'],
    ],
    [
      'half of a union',
      `SELECT id FROM usher.tenant WHERE ${held} UNION SELECT id FROM usher.tenant`,
      ['tenant is not held to a database_id'],
    ],
    [
      'several databases',
      'SELECT FROM usher.tenant WHERE database_id IN ($1, $2)',
      ['it goes to 2 databases'],
    ],
    [
      'several databases in one statement',
      `SELECT FROM usher.tenant WHERE ${held} AND EXISTS (SELECT FROM usher.membership WHERE database_id = $2)`,
      ['it goes to 2 databases'],
    ],
    ['a row without it', 'INSERT INTO usher.tenant (id) VALUES ($1)', ['tenant gets no database_id']],
    [
      'a row that gets it from an expression',
      'INSERT INTO usher.tenant (database_id) SELECT gen_random_uuid()',
      ['tenant gets no database_id'],
    ],
    [
      'a row that changes it',
      `UPDATE usher.tenant SET database_id = $2 WHERE ${held}`,
      ['tenant gets another database_id'],
    ],
    [
      'a function in an update',
      `UPDATE usher.tenant SET created_at = now() WHERE ${held}`,
      ['tenant is updated by a function, which may be volatile'],
    ],
    [
      'a function in an update on conflict',
      'INSERT INTO usher.tenant (database_id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET created_at = CURRENT_TIMESTAMP',
      ['tenant is updated by a function, which may be volatile'],
    ],
    ['what is no query', 'TRUNCATE usher.tenant', ['tenant is named outside a query']],
  ])('%s', async (_what, sql, faults) => {
    const tables = new Set(['tenant', 'membership'])
    expect(await errorsOf({ sql, parameters: [one, two, two] }, tables)).toEqual(faults)
  })
})
