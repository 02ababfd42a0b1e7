import { expect } from 'vitest'
import { it } from '../support/api.js'
import { password, validUser } from '../support/app.js'

it('keeps users with the same email in two databases separate', async ({ usher, database }) => {
  const email = 'same@example.com'
  const name = database.databaseName
  const one = database
  await usher.newDatabase()
  const two = await usher.newDatabase('standard', one.workspaceSlug)
  const inOne = await one.signedUp({ email, password: 'password of one', newTenant: 'One' })
  const inTwo = await two.signedUp({ email, password: 'password of two', newTenant: 'Two' })
  expect(inTwo.id).not.toBe(inOne.id)
  expect((await one.login({ email, password: 'password of two' })).statusCode).toBe(401)
  expect((await two.login({ email, password: 'password of two' })).json().tenants).toEqual(inTwo.tenants)
  expect((await two.me(inOne.token.jwt)).statusCode).toBe(401)
  expect((await two.me(inTwo.token.jwt)).json().id).toBe(inTwo.id)
  expect(name).not.toBe(two.databaseName)
})

it.for([
  ['an unknown workspace', 'nowhere', undefined],
  ['an unknown database', undefined, 'nowhere'],
  ['an invalid database name', undefined, '-dash'],
  ['a database name of 64 characters', undefined, 'x'.repeat(64)],
  ['a database name of 900 characters', undefined, 'x'.repeat(900)],
  ['a database name of 9000 characters', undefined, 'x'.repeat(9000)],
] as const)('returns 404 database_not_found for %s', async ([, slug, name], { usher, database }) => {
  const { workspaceSlug, databaseName } = database
  const client = usher.client(slug ?? workspaceSlug, name ?? databaseName)
  for (const response of [
    await client.createUser(validUser()),
    await client.createUser(validUser({ password: 'short' })),
    await client.login({ email: 'ada@example.com', password }),
    await client.me('x.y.z'),
  ]) {
    expect(response.statusCode).toBe(404)
    expect(response.json().code).toBe('database_not_found')
  }
})

it.for(['no%20where', 'a%2Fb', '..%2Fdatabase', 'd%C3%A4ta', 'a%00b'])(
  'returns 404 route_not_found for the name %s, because no path has percent-encoded characters',
  async (name, { usher, database }) => {
    const url = database.users.replace(database.databaseName, name)
    const response = await usher.inject({ method: 'POST', url, payload: validUser() })
    expect([response.statusCode, response.json().code]).toEqual([404, 'route_not_found'])
  },
)

it('returns 404 for a database of another workspace', async ({ usher, database }) => {
  const other = await usher.newDatabase()
  const response = await usher.client(database.workspaceSlug, other.databaseName).me('x.y.z')
  expect(response.statusCode).toBe(404)
})
