import { expect, vi } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { it } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'

const day = 86_400_000

it('the address of a deleted user stays only in invitations and kept responses, until they expire', async ({
  manage: { database, newKey, send },
  store,
  usher,
}) => {
  // Stores the mails without sending them.
  vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  const { key } = await newKey()
  const email = 'deleted-user@example.com'
  const post = async (path: string, body: object) => {
    const response = await send(key, 'POST', path, body, { 'idempotency-key': `request-to-${path}` })
    expect([response.statusCode, response.json().detail]).toEqual([201, undefined])
    return response.json()
  }
  const { id: userId } = await post('users', { email })
  const { id: tenantId } = await post('tenants', { name: 'Engines' })
  await post(`tenants/${tenantId}/invitations`, { email, role: 'member' })
  const { prisma } = store
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'usher' ORDER BY 1`
  async function tablesWithAddress() {
    const found: string[] = []
    for (const { name } of tables) {
      const rows = await prisma.$queryRawUnsafe<unknown[]>(
        `SELECT 1 FROM usher."${name}" AS row WHERE row::text LIKE '%${email}%'`,
      )
      if (rows.length > 0) found.push(name)
    }
    return found
  }
  expect(await tablesWithAddress()).toEqual(['api_request', 'invitation', 'user'])
  expect((await send(key, 'DELETE', `users/${userId}`)).statusCode).toBe(204)
  expect(await tablesWithAddress()).toEqual(['api_request', 'invitation'])
  const sweeping = {
    log: usher.app.log,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  }
  for (const [days, left] of [
    [2, ['invitation']],
    [8, []],
  ] as const) {
    usher.clock.now += days * day
    await sweepDatabase(usher.context, database.id, sweeping)
    expect(await tablesWithAddress()).toEqual(left)
  }
})
