import { expect, it, vi } from 'vitest'
import { startApi, validUser } from '../support/app.js'
import { openPostgresCopy } from '../support/store.js'

it('a sign-up that Postgres gives up because two wait for each other is answered 503, and leaves nothing', async () => {
  const { store, database, close } = await startApi({}, openPostgresCopy)
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
  await close()
})
