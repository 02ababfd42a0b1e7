import { expect, it } from 'vitest'
import { isUniqueViolation } from '../../server/store/errors.js'
import { insertUser } from '../../server/store/queries/sign-up.js'
import { profileOf } from '../../server/store/queries/user-fields.js'
import { startApp } from '../support/app.js'
import { openPostgres } from '../support/open-store.js'
import { openPostgresCopy } from '../support/store.js'

it('a sign-up with a taken email keeps its connection to Postgres', async () => {
  const parent = await openPostgresCopy()
  const api = await startApp(parent)
  const { id: databaseId } = await api.newDatabase()
  const store = await openPostgres(parent.settings?.DATABASE_URL ?? '', parent.masterKey, { connections: 1 })
  const backend = async () => (await store.query('SELECT pg_backend_pid() AS pid', []))[0]
  const signUp = (digit: string) =>
    insertUser(store, {
      user: {
        databaseId,
        id: `${digit.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`,
        email: 'ada@example.com',
        canonicalEmail: 'ada@example.com',
        passwordHash: '',
        ...profileOf({}),
        createdAt: new Date(api.clock.now),
        generation: api.clock.now,
      },
      isVerified: false,
    })
  await signUp('1')
  const before = await backend()
  await expect(signUp('2')).rejects.toSatisfy(isUniqueViolation)
  expect(await backend()).toEqual(before)
  await store.close()
  await api.close()
  await parent.close()
})
