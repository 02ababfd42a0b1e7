import { rm } from 'node:fs/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { startTraffic } from '../instances/traffic.js'
import { startApp } from '../support/app.js'
import { createMigration, nextMigration } from '../support/migration.js'
import { openTestStore } from '../support/store.js'

vi.setConfig({ testTimeout: 120_000 })

it.for(['postgres', 'embedded'] as const)(
  'a migration of a %s store under load fails no request',
  async (kind) => {
    const store = await openTestStore(kind)
    onTestFinished(store.close)
    const usher = await startApp(store)
    onTestFinished(usher.close)
    const database = await usher.newDatabase()
    const origin = await usher.app.listen({ host: '127.0.0.1', port: 0 })
    const folder = await createMigration(nextMigration.name, nextMigration.sql)
    onTestFinished(() => rm(folder, { recursive: true }))
    const traffic = startTraffic(origin + database.users.replace(/\/users$/, ''))
    await traffic.more()
    expect(await migrate(store, folder)).toEqual([nextMigration.name])
    await traffic.more()
    expect((await traffic.end()).users).toBeGreaterThan(20)
    expect(await store.prisma.$queryRaw`SELECT DISTINCT plan FROM usher.tenant`).toEqual([{ plan: 'free' }])
  },
)
