import { truncate } from 'node:fs/promises'
import { expect } from 'vitest'
import { blocklistOf } from '../domain/blocklist-file.js'
import { it as apiTest } from '../support/api.js'
import { startApp, type TestDatabase, validUser } from '../support/app.js'

const breached = 'breached horse battery'
const it = apiTest
  .extend('blocklist', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const blocklist = await blocklistOf(breached, 'office battery')
    onCleanup(blocklist.remove)
    return blocklist
  })
  .extend('settings', { scope: 'file' }, ({ blocklist }) => ({ PASSWORD_BLOCKLIST_FILE: blocklist.file }))

const error = {
  path: 'password',
  code: 'password_too_common',
  detail: 'must not be a password known from a data breach',
}

it.for(['standard', 'nist'] as const)(
  'rejects a breached password under the %s policy',
  async (policy, { usher }) => {
    const { createUser } = await usher.newDatabase(policy)
    const response = await createUser(validUser({ password: breached }))
    expect([response.statusCode, response.json().errors]).toEqual([400, [error]])
    expect((await createUser(validUser())).statusCode).toBe(201)
  },
)

it('rejects a password whose NFKC form is breached', async ({ database }) => {
  const response = await database.createUser(validUser({ password: 'oﬃce battery' }))
  expect(response.json().errors).toEqual([error])
})

it('accepts a breached password under the none policy', async ({ usher }) => {
  const { createUser } = await usher.newDatabase('none')
  expect((await createUser(validUser({ password: breached }))).statusCode).toBe(201)
})

it('reports a breached password together with the errors of other fields', async ({ database }) => {
  const response = await database.createUser({ email: 'nobody', password: breached })
  expect(response.json().errors).toEqual([expect.objectContaining({ path: 'email' }), error])
})

it('accepts a breached password at login', async ({ store, database }) => {
  const withoutList = await startApp(store)
  const client = ({ workspaceSlug, databaseName }: TestDatabase) =>
    withoutList.client(workspaceSlug, databaseName)
  const user = validUser({ password: breached })
  await client(database).signedUp(user)
  expect((await database.login(user)).statusCode).toBe(200)
  await withoutList.close()
})

it('returns 503 and logs the reason when the list can no longer be read', async ({ store, database }) => {
  const damaged = await blocklistOf(breached)
  const other = await startApp(store, { PASSWORD_BLOCKLIST_FILE: damaged.file })
  await truncate(damaged.file, 0)
  const { workspaceSlug, databaseName } = database
  const response = await other.client(workspaceSlug, databaseName).createUser(validUser())
  expect([response.statusCode, response.json().code]).toEqual([503, 'unavailable'])
  expect(other.logged()).toContain('PASSWORD_BLOCKLIST_FILE names a file that became shorter')
  await other.close()
  await damaged.remove()
})
