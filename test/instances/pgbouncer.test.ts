import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isStoreUnavailable } from '../../server/store/errors.js'
import { migrate, pendingMigrations } from '../../server/store/migrate.js'
import { usher } from '../support/child.js'
import { createMigration } from '../support/migration.js'
import type { OpenStore } from '../support/open-store.js'
import { openPostgres } from '../support/open-store.js'
import { startOwnPostgres } from '../support/own-postgres.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { findPgBouncer, startPgBouncer } from './pgbouncer.js'

const masterKey = randomBytes(32)

describe.skipIf(!inject('pgbouncerUrl'))('PgBouncer in transaction mode', () => {
  let postgres: PostgresServer
  let pgbouncer: Awaited<ReturnType<typeof startPgBouncer>>
  let store: OpenStore
  beforeAll(async () => {
    postgres = await startOwnPostgres({ timezone: 'Asia/Tokyo' })
    pgbouncer = await startPgBouncer(findPgBouncer(), postgres.url)
    store = await openPostgres(pgbouncer.url, masterKey)
  })
  afterAll(async () => {
    await store.close()
    await pgbouncer.stop()
    await postgres.stop()
  })

  it('DATABASE_URL without pgbouncer=true is rejected with the fix', async () => {
    const DATABASE_URL = pgbouncer.url.replace('?pgbouncer=true', '')
    const env = { DATABASE_URL, USHER_MASTER_KEY: masterKey.toString('base64') }
    for (const command of ['serve', 'database list']) {
      expect(await usher(command.split(' '), env)).toMatchObject({
        code: 1,
        stderr: 'usher: DATABASE_URL connects to PgBouncer. Add ?pgbouncer=true to it\n',
      })
    }
  })

  it('three concurrent migrations through PgBouncer apply each migration once', async () => {
    const others = await Promise.all([1, 2].map(() => openPostgres(pgbouncer.url, masterKey)))
    const applied = await Promise.all([store, ...others].map((each) => migrate(each)))
    await Promise.all(others.map(({ close }) => close()))
    const names = applied.flat()
    expect(names).toHaveLength(new Set(names).size)
    expect(await pendingMigrations(store)).toEqual([])
  })

  it('timestamps are read as written when the Postgres server uses the time zone of Tokyo', async () => {
    const createdAt = new Date('2026-03-01T12:00:00.123Z')
    await store.prisma.workspace.create({ data: { id: randomUUID(), slug: 'tokyo', createdAt } })
    const clients = await Promise.all([0, 1, 2, 3].map(() => openPostgres(pgbouncer.url, masterKey)))
    for (const { prisma } of clients) {
      expect((await prisma.workspace.findUniqueOrThrow({ where: { slug: 'tokyo' } })).createdAt).toEqual(
        createdAt,
      )
    }
    await Promise.all(clients.map(({ close }) => close()))
  })

  it('the statement_timeout of the database applies to requests and not to migrations', async () => {
    await store.prisma.$executeRaw`ALTER DATABASE postgres SET statement_timeout = '100ms'`
    const limited = await startPgBouncer(findPgBouncer(), postgres.url)
    const limitedStore = await openPostgres(limited.url, masterKey)
    const error = await limitedStore.prisma.$queryRaw`SELECT pg_sleep(5)::text`.catch((error) => error)
    expect(isStoreUnavailable(error)).toBe(true)
    expect(String(error)).toContain('canceling statement due to statement timeout')
    const folder = await createMigration('2_slow', 'SELECT pg_sleep(0.5);')
    expect(await migrate(limitedStore, folder)).toEqual(['2_slow'])
    await rm(folder, { recursive: true })
    await limitedStore.close()
    await limited.stop()
  })
})
