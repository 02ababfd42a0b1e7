import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { isSearch } from '../lab/plans/statement-plans.js'
import { runUsher } from '../support/command-line.js'
import { startLyingProvider } from '../support/lying-provider.js'
import type { OpenStore } from '../support/open-store.js'
import { openPostgres } from '../support/open-store.js'
import { databaseUrl } from '../support/postgres-server.js'
import { addBystanders } from './bystanders.js'
import { commandsUnder, nameOfCommand, useEveryCommand } from './every-command.js'
import { useEveryOperation } from './every-operation.js'
import { errorsOf } from './one-database.js'
import {
  type RecordedChange,
  recordedChanges,
  recordRevokingChanges,
  revokingChanges,
} from './revocation-triggers.js'
import { type Logged, startLoggingPostgres } from './statement-log.js'
import { watchWrites } from './write-order.js'

const masterKey = Buffer.alloc(32, 7)
const newMasterKey = Buffer.alloc(32, 8).toString('base64')

let folder: string
let logged: Logged[]
let unawaited: string[]
let changes: RecordedChange[]
let distributed: Set<string>
const commands = new Set<string>()
let allCommands: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-statements-'))
  const server = await startLoggingPostgres()
  const [bare = '', url = ''] = ['bare', 'usher'].map((name) => databaseUrl(server.url, name))
  await onServer(server.url, ({ prisma }) => prisma.$executeRaw`CREATE DATABASE bare`)
  distributed = await onServer(bare, async (store) => {
    await migrate(store)
    await recordRevokingChanges(store)
    const tables = await store.prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'usher' AND column_name = 'database_id'`
    return new Set(tables.map(({ name }) => name))
  })
  await onServer(server.url, ({ prisma }) => prisma.$executeRaw`CREATE DATABASE usher TEMPLATE bare`)
  try {
    await onServer(url, useEveryOperationWithBystanders)
    await onServer(url, (store) => useEveryCommandWithBystanders(store, url))
    changes = await onServer(url, recordedChanges)
    // The others use no store, or need Citus.
    allCommands = (await commandsUnder()).filter(
      (name) => !/^(serve|openapi|login|logout|store distribute)$/.test(name),
    )
  } finally {
    logged = await server.stop('usher')
  }
}, 180_000)
afterAll(() => rm(folder, { recursive: true }))

async function onServer<Result>(url: string, work: (store: OpenStore) => Promise<Result>) {
  const store = await openPostgres(url, masterKey)
  return work(store).finally(store.close)
}

async function useEveryOperationWithBystanders(store: OpenStore) {
  const expectations: (() => Promise<void>)[] = []
  const writes = watchWrites(store)
  await useEveryOperation(writes.store, async (api, { id: databaseId }) => {
    const { context, clock } = api
    if (expectations.length === 0) writes.watch(api)
    const network = context.throttle.keys.network(databaseId, '127.0.0.1')
    expectations.push(await addBystanders(store, { databaseId, now: new Date(clock.now), network }))
  })
  for (const expectUnchanged of expectations) await expectUnchanged()
  unawaited = writes.errors()
}

async function useEveryCommandWithBystanders(store: OpenStore, url: string) {
  const provider = await startLyingProvider()
  const env = {
    DATABASE_URL: url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: '',
    PRIVATE_ISSUERS: provider.issuer,
    ...cheapHashes,
  }
  const usher = async (command: string, input = '', more: object = {}) => {
    const { code, stdout, stderr } = await runUsher(
      `${command} --json`.split(' '),
      { ...env, ...more },
      input,
    )
    commands.add(nameOfCommand(command))
    expect(code, `${command}: ${stderr}`).toBe(0)
    return stdout
  }
  const onTenant = (ids: { databaseId: string; tenantId: string }) =>
    addBystanders(store, { ...ids, now: new Date() })
  await usher('migrate')
  await useEveryCommand(usher, { folder, issuer: provider.issuer, onTenant })
  await usher('keys rewrap', '', { USHER_NEW_MASTER_KEY: newMasterKey })
  await provider.close()
}

/** Returns whether a statement reads rows of a list of databases. */
const readsAcrossDatabases = (sql: string) => sql.includes('unnest((SELECT $1::uuid[])::uuid[]')

describe('statements on a distributed store', () => {
  it('every statement of operations and commands reads and writes only one database', async () => {
    const errors = new Set<string>()
    // On Citus, each worker gets a separate search, and each database a statement.
    for (const statement of logged.filter(({ sql }) => !isSearch(sql) && !readsAcrossDatabases(sql))) {
      for (const error of await errorsOf(statement, distributed))
        errors.add(`${error}: ${statement.sql.trim()}`)
    }
    expect([...errors]).toEqual([])
  })

  it('every change by which me refuses a token or shows other tenants stores its revocation', () => {
    expect(changes.filter(({ isStored }) => !isStored)).toEqual([])
    const recorded = new Set(changes.map(({ change }) => change))
    // Rows of sessions outlive the tokens, and retired keys are deleted by the next rotation.
    const never = ['DELETE session', 'DELETE signing_key']
    expect([...recorded].sort()).toEqual(revokingChanges.filter((each) => !never.includes(each)).sort())
  })

  it('every request waits for each of its writes', () => {
    // A login restores the pruned parameters of its hash without waiting. A sign-up records them first.
    const restored = /^INSERT INTO usher\.hash_parameters is not awaited before (?!INSERT INTO usher\."user")/
    expect(unawaited.filter((each) => !restored.test(each))).toEqual([])
  })

  it('the recorded statements come from all commands and use all tables', () => {
    expect([...commands].sort()).toEqual(allCommands.sort())
    const texts = new Set(logged.map(({ sql }) => sql.replaceAll('"', '')))
    expect(texts.size).toBeGreaterThan(60)
    const untouched = ['INSERT INTO', 'SELECT .* (FROM|JOIN)', 'DELETE FROM'].flatMap((what) =>
      [...distributed]
        .map((table) => `${what} usher\\.${table}\\b`)
        .filter((pattern) => ![...texts].some((sql) => new RegExp(pattern, 's').test(sql))),
    )
    // Deleted with the row of their database.
    expect(untouched.sort()).toEqual([
      'DELETE FROM usher\\.data_key\\b',
      'DELETE FROM usher\\.event_cursor\\b',
      'DELETE FROM usher\\.hash_parameters\\b',
      'DELETE FROM usher\\.mail_settings\\b',
      'DELETE FROM usher\\.revocation_cursor\\b',
      'DELETE FROM usher\\.sweep\\b',
    ])
  })
})

describe('errorsOf', () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const condition = 'database_id = $1'

  it.each([
    [
      'no error if database_id equals a value',
      `SELECT id FROM usher.tenant WHERE ${condition}::uuid AND id = $2`,
      [],
    ],
    [
      'no error in an IN list with one value',
      'SELECT FROM usher.tenant AS t WHERE t.database_id IN ($1)',
      [],
    ],
    [
      'no error in an IN list of rows',
      'SELECT FROM usher.tenant WHERE (database_id, id) IN (($1, $2), ($1, $3))',
      [],
    ],
    [
      'no error if each side of an OR sets database_id',
      `SELECT FROM usher.tenant WHERE ${condition} AND id = $2 OR ${condition} AND id = $3`,
      [],
    ],
    ['no error in a reference table', 'SELECT FROM usher.database', []],
    [
      'no error in inserted rows with database_id',
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
      'a condition that is not an equality',
      'SELECT FROM usher.tenant WHERE database_id <> $1',
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality in one side of an OR',
      `SELECT FROM usher.tenant WHERE ${condition} OR id = $2`,
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality inside NOT',
      `SELECT FROM usher.tenant WHERE NOT (${condition})`,
      ['tenant is not held to a database_id'],
    ],
    [
      'an equality only on a joined table',
      'SELECT FROM usher.tenant AS t JOIN usher.membership AS m ON m.tenant_id = t.id WHERE t.database_id = $1',
      ['m is not held to a database_id'],
    ],
    [
      'an equality that does not filter the outer side of a join',
      'SELECT FROM usher.tenant AS t LEFT JOIN usher.membership AS m ON t.database_id = $1 AND m.database_id = $1',
      ['t is not held to a database_id'],
    ],
    [
      'a subquery without a condition',
      `SELECT FROM usher.tenant WHERE ${condition} AND id IN (SELECT tenant_id FROM usher.membership)`,
      ['membership is not held to a database_id'],
    ],
    [
      'a WITH query without a condition',
      `WITH gone AS (DELETE FROM usher.tenant) SELECT FROM usher.membership WHERE ${condition}`,
      ['tenant is not held to a database_id'],
    ],
    [
      'one side of a UNION without a condition',
      `SELECT id FROM usher.tenant WHERE ${condition} UNION SELECT id FROM usher.tenant`,
      ['tenant is not held to a database_id'],
    ],
    [
      'several databases',
      'SELECT FROM usher.tenant WHERE database_id IN ($1, $2)',
      ['it goes to 2 databases'],
    ],
    [
      'another database in a subquery',
      `SELECT FROM usher.tenant WHERE ${condition} AND EXISTS (SELECT FROM usher.membership WHERE database_id = $2)`,
      ['it goes to 2 databases'],
    ],
    [
      'an inserted row without database_id',
      'INSERT INTO usher.tenant (id) VALUES ($1)',
      ['tenant gets no database_id'],
    ],
    [
      'an inserted row with a computed database_id',
      'INSERT INTO usher.tenant (database_id) SELECT gen_random_uuid()',
      ['tenant gets no database_id'],
    ],
    [
      'an UPDATE of database_id',
      `UPDATE usher.tenant SET database_id = $2 WHERE ${condition}`,
      ['tenant gets another database_id'],
    ],
    [
      'a function in an UPDATE',
      `UPDATE usher.tenant SET created_at = now() WHERE ${condition}`,
      ['tenant is updated by a function, which may be volatile'],
    ],
    [
      'a function in ON CONFLICT DO UPDATE',
      'INSERT INTO usher.tenant (database_id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET created_at = CURRENT_TIMESTAMP',
      ['tenant is updated by a function, which may be volatile'],
    ],
    [
      'rows from another part of the statement',
      `WITH gone AS (DELETE FROM usher.tenant WHERE ${condition} RETURNING id) INSERT INTO usher.membership (database_id, tenant_id) SELECT $1, id FROM gone`,
      ['membership gets rows from another part of the statement'],
    ],
    [
      'nothing in rows from a parameter',
      'INSERT INTO usher.tenant (database_id, id) SELECT $1, id FROM json_to_recordset($2::json) AS row (id uuid)',
      [],
    ],
    [
      'an interval that is added without a time zone',
      `UPDATE usher.tenant SET created_at = created_at + interval '1 s' WHERE ${condition}`,
      ['tenant is updated by adding an interval without a time zone'],
    ],
    [
      'nothing in an interval that is added in a time zone',
      `UPDATE usher.tenant SET created_at = (created_at AT TIME ZONE 'UTC' + interval '1 s') AT TIME ZONE 'UTC' WHERE ${condition}`,
      [],
    ],
    [
      'a cast that is returned',
      `UPDATE usher.tenant SET name = $2 WHERE ${condition} RETURNING id, kind::text`,
      ['a cast of kind is returned'],
    ],
    ['a table outside a query', 'TRUNCATE usher.tenant', ['tenant is named outside a query']],
  ])('the check finds %s', async (_case, sql, errors) => {
    const tables = new Set(['tenant', 'membership'])
    expect(await errorsOf({ sql, parameters: [one, two, two] }, tables)).toEqual(errors)
  })
})
