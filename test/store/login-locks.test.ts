import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { password, startApi, type TestApi } from '../support/app.js'
import { openPostgresCopy } from '../support/store.js'

let usher: TestApi
beforeAll(async () => {
  usher = await startApi({}, openPostgresCopy)
})
afterAll(() => usher.close())

const email = 'ada@example.com'

it('a login that succeeds and one that fails do not wait for each other’s counts for ever', async () => {
  const { prisma } = usher.store
  const { id, login, signedUp } = usher.database
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
