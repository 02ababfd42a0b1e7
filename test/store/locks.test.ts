import { expect, vi } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, validUser } from '../support/app.js'

const it = apiTest.extend('storeKind', { scope: 'worker' }, 'postgres')

it('a sign-up that Postgres gives up because two wait for each other is answered 503, and leaves nothing', async ({
  store,
  database,
}) => {
  const body = validUser({ newTenant: 'Engines' })
  let signUp: ReturnType<typeof database.createUser> | undefined
  await store.prisma.$transaction(
    async (other) => {
      await other.$executeRaw`LOCK TABLE usher.tenant`
      signUp = database.createUser(body)
      await vi.waitFor(async () => {
        const waiting = await other.$queryRaw`
          SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'usher.tenant'::regclass`
        expect(waiting).toHaveLength(1)
      })
      await other.$executeRaw`LOCK TABLE usher."user"`
    },
    { timeout: 20_000 },
  )
  const answer = await signUp
  expect(answer?.statusCode).toBe(503)
  expect(answer?.headers['retry-after']).toBe('1')
  expect((await database.createUser(body)).statusCode).toBe(201)
})

const email = 'ada@example.com'

it('a login that succeeds and one that fails do not wait for each other’s counts for ever', async ({
  store: { prisma },
  database,
}) => {
  const { id, login, signedUp } = database
  await signedUp({ email })
  const fail = () => login({ email, password: 'not the password' })
  await fail()
  const waiting = (count: number) =>
    vi.waitFor(
      async () => {
        const rows = await prisma.$queryRaw`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        expect(rows).toHaveLength(count)
      },
      { timeout: 4_000 },
    )

  const answers = await prisma.$transaction(async (transaction) => {
    // Both must wait for the count over all networks, the one that deletes it first.
    await transaction.$queryRaw`SELECT failures FROM usher.login_failures
      WHERE database_id = ${id}::uuid AND network = ''::bytea FOR UPDATE`
    const success = login({ email, password })
    await waiting(1)
    const failure = fail()
    await waiting(2)
    return [success, failure]
  })
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 401])
})
