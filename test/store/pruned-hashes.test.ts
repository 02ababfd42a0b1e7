import { expect, vi } from 'vitest'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { findDummyHashes, recordDummyHash } from '../../server/store/queries/hash-parameters.js'
import { password, startApp } from '../support/app.js'
import { type Operator, it as operatorIt } from '../support/operator.js'

/** Returns a hash. Tests use only its parameters. */
const hashOf = (passes: number) => `$argon2id$v=19$m=8,t=${passes},p=1$${'b'.repeat(21)}A$${'b'.repeat(42)}A`
const [second, third] = [dummyHashOf(hashOf(2)), dummyHashOf(hashOf(3))]

type Database = Awaited<ReturnType<Operator['newDatabase']>>

const it = operatorIt.extend('parameters', ({ usher }) => ({
  of: async ({ id }: Database) => (await findDummyHashes(usher.store, id)).sort(),
  record: async ({ id }: Database, ...dummyHashes: string[]) => {
    for (const each of [usher.context.hashing.dummyHash, ...dummyHashes]) {
      await recordDummyHash(usher.store, id, each)
    }
  },
  /** Gives a user a hash, as an import would. */
  giveHash: async ({ id: databaseId }: Database, id: string, passwordHash: string) => {
    await usher.store.prisma.user.update({
      where: { databaseId_id: { databaseId, id } },
      data: { passwordHash },
    })
  },
  /** Sweeps the database, and returns what was logged. */
  sweep: async ({ id }: Database, stopped = new AbortController().signal) => {
    const events: unknown[] = []
    const log = {
      level: 'info',
      child: () => log,
      info: (fields: object) => void events.push(fields),
      warn: () => undefined,
    }
    await usher.store.prisma.sweep.deleteMany({ where: { databaseId: id } })
    await sweepDatabase(usher.context, id, { log, stopped, pause: async () => undefined })
    return events
  },
}))

it('a sweep removes only hash parameters that no user has', async ({ usher, database, parameters }) => {
  const current = usher.context.hashing.dummyHash
  await parameters.record(database, second, third)
  const { id } = await database.signedUp()
  await parameters.giveHash(database, id, hashOf(2))
  expect(await parameters.sweep(database)).toEqual([
    { audit: 'database.hash_parameters_pruned', databaseId: database.id, removed: 1 },
  ])
  expect(await parameters.of(database)).toEqual([current, second].sort())
  expect(await parameters.sweep(database)).toEqual([])
})

it('a sweep keeps the current parameters of a database without users', async ({
  usher,
  database,
  parameters,
}) => {
  await parameters.record(database, second)
  await parameters.sweep(database)
  expect(await parameters.of(database)).toEqual([usher.context.hashing.dummyHash])
})

it('a sweep checks the hashes of all users in several batches', async ({ usher, database, parameters }) => {
  await parameters.record(database, second, third)
  const users = Array.from({ length: 2500 }, (_, index) => ({
    databaseId: database.id,
    id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    email: `${index}@example.com`,
    canonicalEmail: `${index}@example.com`,
    passwordHash: hashOf(index === 2499 ? 3 : 1),
    createdAt: new Date(),
  }))
  await usher.store.prisma.user.createMany({ data: users })
  expect(await parameters.sweep(database)).toMatchObject([{ removed: 1 }])
  expect(await parameters.of(database)).toContain(third)
})

it('a stopped sweep removes no hash parameters', async ({ database, parameters }) => {
  await parameters.record(database, second)
  expect(await parameters.sweep(database, AbortSignal.abort())).toEqual([])
  expect(await parameters.of(database)).toContain(second)
})

it.for(['wrong password', password])(
  'a login with the password "%s" restores the pruned parameters of its user',
  async (tried, { usher, database, parameters }) => {
    const other = await startApp(usher.store, { ARGON2_PASSES: '2' })
    other.clock.now = usher.clock.now
    const client = other.client(database.workspaceSlug, database.databaseName)
    await client.signedUp({ email: 'ada@example.com' })
    await usher.store.prisma.hashParameters.deleteMany({ where: { databaseId: database.id } })
    await other.close()
    const server = await usher.otherServer()
    await server
      .client(database.workspaceSlug, database.databaseName)
      .login({ email: 'ada@example.com', password: tried })
    await parameters.record(database)
    await vi.waitFor(async () => expect(await parameters.of(database)).toContain(second), 10_000)
    await server.close()
  },
)
