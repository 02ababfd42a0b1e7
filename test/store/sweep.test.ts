import type { Session } from '@usher/contract'
import pg from 'pg'
import { beforeEach, expect } from 'vitest'
import { endsAt, idBetween, startSweep, sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { UnavailableError } from '../../server/store/errors.js'
import { endUnusedSessions } from '../../server/store/queries/session-ends.js'
import { sweptTables } from '../../server/store/queries/sweep.js'
import type { Store } from '../../server/store/store.js'
import { withOwnStore } from '../support/api.js'
import { start, startApp, type TestApi, type TestDatabase } from '../support/app.js'
import { openTestStore, type TestStore } from '../support/store.js'
import { createFiller } from './many-rows.js'

/** Every table that the sweep does not delete from, with the reason. */
const kept: Record<string, string> = {
  daily_statistics: 'for 400 days: see test/api/statistics.test.ts',
  operator_action: 'for 400 days: see test/api/statistics.test.ts',
  server_status: 'for a day: see test/api/server-status.test.ts',
  _prisma_migrations: 'one for each migration',
  workspace: 'until the operator deletes it',
  database: 'until the operator deletes it',
  user: 'until the user or the operator deletes it',
  tenant: 'until the operator deletes it',
  membership: 'with its user and tenant',
  connection: 'until the operator deletes it',
  identity: 'with its user',
  factor: 'with its user',
  recovery_code: 'with its user',
  factor_guess: 'with its user, who has two at most',
  data_key: 'one for each database',
  signing_key: 'retired ones until the next rotation',
  database_secret: 'retired ones until the next rotation',
  hash_parameters: 'until no user has them: see test/store/pruned-hashes.test.ts',
  sweep: 'one for each database',
  kept_event: 'for the days of the setting --events-kept: see test/api/events.test.ts',
  event_cursor: 'one for each database',
  revocation: 'until the tokens that it concerns have expired: see test/api/listed-revocations.test.ts',
  revocation_cursor: 'one for each database',
  mail_settings: 'one for each database',
  mail_template: 'at most 1 MiB for each database',
  tenant_connection: 'until it is removed, at most 5 for each tenant',
  tenant_entry: 'until its user or tenant is deleted',
  outbox_stream: 'until the last event of the user is delivered: see test/outbox/backlog.test.ts',
}

/** Of the users, only rows that reserve an address are swept: see test/api/email-change.test.ts. */
const swept = sweptTables.filter((table) => table !== 'user' && !(table in kept))

const hour = 3_600_000
/** What the sweep has warned of. */
const warnings: [fields: Record<string, unknown>, message: string][] = []
const log = {
  level: 'info',
  child: () => log,
  info: () => undefined,
  warn: (fields: object, message: string) => void warnings.push([{ ...fields }, message]),
}
beforeEach(() => void warnings.splice(0))
const running = { log, stopped: new AbortController().signal, pause: async () => undefined }

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('usher', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const usher = await startApp(store)
    onCleanup(usher.close)
    return usher
  })
  .extend('client', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const client = new pg.Client({ connectionString: (store as TestStore).settings?.DATABASE_URL })
    await client.connect()
    onCleanup(() => client.end())
    return client
  })
  .extend('database', ({ usher }) => usher.newDatabase())

it('the sweep deletes the expired rows of every table', async ({ store, client }) => {
  // No server runs that delivers the messages.
  const usher = await startApp(store)
  const database = await usher.newDatabase()
  await usher.close()
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r'`,
  )
  const tables = rows.map(({ name }) => name)
  expect(tables.sort()).toEqual([...Object.keys(kept), ...swept].sort())

  const now = usher.clock.now
  for (const at of [now - 100 * 24 * hour, now]) await (await createFiller(client, at)).addRows(1800)
  const countRows = async () => {
    const counts: Record<string, number> = {}
    for (const table of tables) {
      const { rows } = await client.query(`SELECT count(*)::int AS count FROM usher."${table}"`)
      counts[table] = rows[0].count
    }
    return counts
  }
  const before = await countRows()
  await sweepDatabase(usher.context, database.id, running)
  const after = await countRows()
  const deleted = tables.filter((table) => (after[table] ?? 0) < (before[table] ?? 0))
  expect(deleted).toEqual([...swept, 'kept_event', 'revocation'].sort())
  // Of each 1,800 old rows and 1,800 new ones, which are several batches. A quarter of the messages have a recipient.
  const expected = swept.map((table) => [table, (before[table] ?? 0) - (table === 'outbox' ? 450 : 1800)])
  expect(Object.fromEntries(swept.map((table) => [table, after[table]]))).toEqual(
    Object.fromEntries(expected),
  )
  expect(after.revocation).toBe((before.revocation ?? 0) - 1800)
  const fields = { databaseId: database.id, notices: 450 }
  expect(warnings).toEqual([[fields, 'notices were deleted, because they could not be sent for 30 days']])
  const { rows: kinds } = await client.query(
    `SELECT kind, count(*)::int AS count FROM usher.outbox GROUP BY kind ORDER BY kind`,
  )
  expect(kinds).toEqual([
    { kind: 'mail', count: 1350 },
    { kind: 'webhook', count: 1800 },
  ])
})

it('the row of an ended session is kept for 24 hours and two minutes, so that its tokens are rejected', async ({
  usher,
  database,
}) => {
  const { clock } = usher
  const ended = await database.opened()
  await database.endSession(ended.refreshToken.value)
  const where = { databaseId: database.id }
  await usher.store.prisma.session.updateMany({ where, data: { expiresAt: new Date(clock.now) } })
  const isKeptAfter = async (milliseconds: number) => {
    const context = { ...usher.context, now: () => clock.now + milliseconds }
    await usher.store.prisma.sweep.deleteMany({ where })
    await sweepDatabase(context, database.id, running)
    return (await usher.store.prisma.session.count({ where })) === 1
  }
  expect(await isKeptAfter(24 * hour + 120_000)).toBe(true)
  expect((await database.me(ended.token.jwt)).statusCode).toBe(401)
  expect(await isKeptAfter(24 * hour + 120_001)).toBe(false)
})

type End = (usher: TestApi, database: TestDatabase, session: Session) => Promise<unknown>

const ends: [string, End][] = [
  ['a log-out', (_usher, database, { refreshToken }) => database.endSession(refreshToken.value)],
  [
    'its user',
    (_usher, database, { refreshToken, token }) =>
      database.as(token.jwt, 'DELETE', `me/sessions/${refreshToken.value.slice(0, 36)}`),
  ],
  [
    'a refresh token that is used twice',
    async (_usher, database, { refreshToken }) => {
      await database.refreshTwice(refreshToken.value)
      await database.refresh(refreshToken.value)
    },
  ],
  [
    'the limit of sessions',
    ({ store, clock }, database, { id: userId, refreshToken }) =>
      endUnusedSessions(
        store,
        { databaseId: database.id, userId, kept: 0, now: new Date(clock.now) },
        refreshToken.value.slice(0, 36),
      ),
  ],
]

it.for(ends)(
  'the row of a session that %s has ended is deleted a day later',
  async ([, end], { usher, database }) => {
    const { store, clock } = usher
    // The clock of the store also decides when the session has ended.
    clock.now = Date.now()
    const where = { databaseId: database.id }
    const session = await database.opened()
    await end(usher, database, session)
    expect(await store.prisma.session.count({ where: { ...where, endedAt: null } })).toBe(0)
    const countAfter = async (milliseconds: number) => {
      await store.prisma.sweep.deleteMany({ where })
      await sweepDatabase({ ...usher.context, now: () => clock.now + milliseconds }, database.id, running)
      return store.prisma.session.count({ where })
    }
    expect(await countAfter(24 * hour + 120_000)).toBe(1)
    expect((await database.me(session.token.jwt)).statusCode).toBe(401)
    expect(await countAfter(25 * hour)).toBe(0)
    clock.now = start
  },
)

it('one of several processes sweeps a database, every 12 hours', async ({ usher, database }) => {
  let sweeps = 0
  const query: Store['query'] = (text, values) => {
    if (text.includes('deleted_session')) sweeps += 1
    return usher.store.query(text, values)
  }
  const sweepAt = (hours: number) =>
    Promise.all(
      Array.from({ length: 4 }, () =>
        sweepDatabase(
          { ...usher.context, store: { ...usher.store, query }, now: () => usher.clock.now + hours * hour },
          database.id,
          running,
        ),
      ),
    )
  const counts: number[] = []
  // Before -48 the clock of a server is 36 s behind, and at -48 the clock has been set back to before the last sweep.
  for (const hours of [0, 11.9, 12.1, 12.095, -48]) {
    await sweepAt(hours)
    counts.push(sweeps)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3])
})

type Query = Store['query']

/** Runs a sweep until it has waited a number of times. Returns its statements and waits. */
async function observe({ context }: Awaited<ReturnType<typeof startApp>>, waits: number, answer?: Query) {
  const waited: number[] = []
  const statements: unknown[][] = []
  const query: Query = async (text, values) => {
    statements.push(values)
    return (answer ?? context.store.query)(text, values)
  }
  await new Promise<void>((resolve) => {
    const sweep = startSweep({ ...context, store: { ...context.store, query } }, log, {
      random: () => 0.5,
      pause: async (milliseconds) => {
        waited.push(milliseconds)
        if (waited.length === waits) resolve(sweep.stop())
      },
    })
  })
  return { waited, statements }
}

/** Fails the statements of a database. */
const failFor =
  (usher: { store: Store }, { id }: TestDatabase, error: Error): Query =>
  async (text, values) => {
    if (values[0] === id) throw error
    return usher.store.query(text, values)
  }

it('a process visits a database every 4 s, each at most once an hour, and continues after a failure', async ({
  usher,
}) => {
  const { prisma } = usher.store
  await prisma.sweep.deleteMany()
  const failing = await usher.newDatabase()
  await usher.newDatabase()
  await usher.newDatabase()
  const ids = (await prisma.database.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)
  const swept = async () => (await prisma.sweep.findMany()).map(({ databaseId }) => databaseId).sort()

  // From the middle to the end, and a whole round.
  const middle = idBetween({ lowest: ids[0] ?? '', highest: ids.at(-1) ?? '' }, 0.5)
  const first = ids.filter((id) => id > middle).length
  expect([first > 0, first < ids.length]).toEqual([true, true])
  const visits = (count: number) => [...Array(count).fill(4_000), hour - count * 4_000]
  const away = new UnavailableError('away')
  const { waited } = await observe(usher, 1 + first + 1 + ids.length + 1, failFor(usher, failing, away))
  expect(waited).toEqual([30_000, ...visits(first), ...visits(ids.length)])
  expect(await swept()).toEqual(ids.filter((id) => id !== failing.id))
  expect(warnings).toEqual([])

  await sweepDatabase(usher.context, failing.id, running)
  // Swept a moment ago: one statement for each visit, and two to begin.
  const { statements } = await observe(usher, 1 + first + 1)
  expect(statements).toHaveLength(2 + first)
})

it('a failure that is not one of the store is reported', async ({ usher, database }) => {
  const err = new Error('wrong statement')
  const databases = await usher.store.prisma.database.count()
  await observe(usher, 1 + databases * 2 + 2, failFor(usher, database, err))
  expect(warnings[0]).toEqual([{ err }, 'a database was not swept'])
})

it('a round goes on after the first 100 databases', async ({ usher }) => {
  const ids = Array.from({ length: 150 }, (_, index) => idBetween(outerIds, (index + 1) / 151))
  const { waited, statements } = await observe(usher, 1 + 75 + 1 + 150 + 1, async (text, values) => {
    const [after, limit] = values as [string[], number]
    if (text.includes('lowest')) return [{ lowest: ids[0], highest: ids.at(-1) }] as never
    if (!text.includes('LIMIT')) return []
    return ids
      .filter((id) => id > String(after[0]))
      .slice(0, limit)
      .map((id) => ({ id })) as never
  })
  expect(waited.filter((milliseconds) => milliseconds === 4_000)).toHaveLength(75 + 150)
  const visited = statements.map(([id]) => id).filter((id) => typeof id === 'string')
  expect(visited).toEqual([...ids.slice(75), ...ids])
})

const outerIds = {
  lowest: '00000000-0000-0000-0000-000000000000',
  highest: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

it.for([
  [0, '00000000-0000-0000-0000-000000000000'],
  [0.25, '3fffffff-ffff-ffff-ffff-ffffffffffff'],
  [0.75, 'bfffffff-ffff-ffff-ffff-ffffffffffff'],
] as const)('the id at the position %d of all is %s', ([position, id]) => {
  expect(idBetween(outerIds, position)).toBe(id)
})

it('the embedded store is also swept', async () => {
  const store = await openTestStore('embedded')
  const usher = await startApp(store)
  const database = await usher.newDatabase()
  await database.opened()
  usher.clock.now += 120 * 24 * hour
  await sweepDatabase(usher.context, database.id, running)
  expect(await store.prisma.session.count()).toBe(0)
  expect(await store.prisma.user.count()).toBe(1)
  await usher.close()
  await store.close()
})

it('the sweep keeps rows that servers with other clocks may still need', ({ usher }) => {
  const { now } = usher.clock
  const ends = endsAt(now)
  for (const end of Object.values(ends)) expect(end.getTime()).toBeLessThanOrEqual(now - 60_000)
  // A request can be repeated for 24 hours.
  for (const kind of ['idempotency_key', 'api_request'] as const)
    expect(ends[kind].getTime()).toBe(now - 24 * hour - 60_000)
})
