import { expect, vi } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, startApp, validUser } from '../support/app.js'

const it = apiTest.extend('storeKind', { scope: 'worker' }, 'postgres')

it('a sign-up that Postgres cancels because of a deadlock returns 503 and creates nothing', async ({
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
  const response = await signUp
  expect(response?.statusCode).toBe(503)
  expect(response?.headers['retry-after']).toBe('1')
  expect((await database.createUser(body)).statusCode).toBe(201)
})

const email = 'ada@example.com'

it('a successful and a failed login of one user do not deadlock on the failure counts', async ({
  store,
  database,
}) => {
  const { prisma } = store
  const { id, login, signedUp } = database
  await signedUp({ email })
  // One server lets logins of one account and network wait for each other before they reach the store.
  const other = await startApp(store)
  const otherLogin = other.client(database.workspaceSlug, database.databaseName).login
  const fail = () => otherLogin({ email, password: 'not the password' })
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

  const responses = await prisma.$transaction(async (transaction) => {
    // Both must wait for the row that counts over all networks, the login that deletes it first.
    await transaction.$queryRaw`SELECT failures FROM usher.login_failures
      WHERE database_id = ${id}::uuid AND network = ''::bytea FOR UPDATE`
    const success = login({ email, password })
    await waiting(1)
    const failure = fail()
    await waiting(2)
    return [success, failure]
  })
  expect((await Promise.all(responses)).map(({ statusCode }) => statusCode)).toEqual([200, 401])
  await other.close()
})
