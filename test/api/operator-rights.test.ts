import { expect } from 'vitest'
import { it as consoleTest } from '../support/console.js'

// authority/matrix.txt says which role each operation needs.

const it = consoleTest
  .extend('owner', { scope: 'file' }, async ({ console }) => {
    const owner = await console.owner()
    for (const slug of ['own', 'foreign']) {
      await owner.send('POST', '/operator/workspaces', { slug })
      await owner.send('POST', `/operator/workspaces/${slug}/databases`, { name: 'app' })
    }
    return owner
  })
  .extend('operator', { scope: 'file' }, ({ console, owner }) =>
    console.operator(owner, { email: 'operator@example.com', workspace: 'own', role: 'owner' }),
  )

it('a database of a foreign workspace is neither listed nor deleted', async ({ operator, owner }) => {
  const headers = { 'usher-confirmation': await operator.confirm() }
  const path = '/operator/workspaces/foreign/databases'
  expect((await operator.send('DELETE', `${path}/app`, undefined, headers)).statusCode).toBe(404)
  const listed = await operator.send('GET', '/operator/workspaces')
  expect(listed.json().workspaces).toMatchObject([{ slug: 'own', role: 'owner' }])
  expect((await owner.send('GET', path)).json().databases).toMatchObject([{ name: 'app' }])
})

it('a token of a user, an API key and no token are rejected', async ({ usher, owner }) => {
  const database = await usher.newDatabase()
  const { token } = await database.signedUp()
  const codes = [token.jwt, 'usher_key', undefined].map(async (bearer) => {
    const response = await usher.inject({
      method: 'GET',
      url: '/operator/me',
      ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
    })
    return response.json().code
  })
  expect(await Promise.all(codes)).toEqual(['token_invalid', 'token_invalid', 'token_missing'])
  // Operators change operators in the operator API only.
  const users = await owner.send('GET', '/workspaces/usher/databases/operators/management/users')
  expect(users.json().code).toBe('database_not_found')
})
