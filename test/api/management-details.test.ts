import { describe, expect } from 'vitest'
import { deleteDatabase } from '../../server/domain/management/delete-database.js'
import { it } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'

const byMail = { purpose: 'password_reset', deliver: 'mail' }

describe('the detail of a refused request', () => {
  it.for([
    ['without an app URL', { accountOperations: true }, 'app_url_missing', 'The database has no app URL.'],
    [
      'without account operations',
      { accountOperations: false },
      'account_operations_off',
      'Account operations are off.',
    ],
  ] as const)(
    'names no command in a database %s',
    async ([, settings, code, detail], { store, usher, manage }) => {
      const { database } = manage
      const { id } = await database.signedUp()
      await setDatabase(store, database, settings)
      usher.clock.cacheAhead += 6_000
      const { key } = await manage.newKey()
      const response = await manage.send(key, 'POST', `users/${id}/codes`, byMail)
      expect([response.statusCode, response.json()]).toMatchObject([409, { code, detail }])
    },
  )

  it('names no other database after a deletion that the server has not noticed', async ({
    usher,
    store,
    manage,
  }) => {
    const { database } = manage
    // A command suggests a similar name.
    const other = await usher.newDatabase(undefined, database.workspaceSlug)
    const { key } = await manage.newKey()
    await manage.send(key, 'GET', 'tenants')
    await deleteDatabase(store, database)
    for (const [path, body] of [
      ['tenants', { name: 'Engines' }],
      ['users', { email: 'ada@example.com' }],
    ] as const) {
      const response = await manage.send(key, 'POST', path, body)
      expect([401, 404]).toContain(response.statusCode)
      expect(response.body).not.toContain(other.databaseName)
    }
  })
})
