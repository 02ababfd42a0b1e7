import { expect } from 'vitest'
import { password, type TestDatabase } from '../support/app.js'
import { it } from '../support/operator.js'

const tenantsOf = async (database: TestDatabase, email: string) =>
  (await database.login({ email, password })).json().tenants

it('tenant list returns pages and counts users', async ({ usher }) => {
  const { path, signedUp } = await usher.newDatabase()
  const first = (await signedUp({ newTenant: 'One' })).tenants[0]
  const second = (await signedUp({ newTenant: 'Two \u001b[31m' })).tenants[0]
  expect(await usher.json(`tenant list ${path} --limit 1`)).toMatchObject([
    { id: first, name: 'One', users: 1 },
  ])
  expect(await usher.json(`tenant list ${path} --after ${first}`)).toMatchObject([{ id: second }])
  const { stdout } = await usher.operator(`tenant list ${path}`)
  expect(stdout).toBe(
    `ID${' '.repeat(36)}USERS  NAME\n${first}  1      One\n${second}  1      Two \uFFFD[31m\n`,
  )
})

it('tenant add-user adds a member only once, and tenant remove-user removes it', async ({
  usher,
  database,
}) => {
  const [tenant] = (await database.signedUp({ newTenant: 'Engines' })).tenants
  const email = 'ada@example.com'
  const { id } = await database.signedUp({ email })
  const membership = { databaseId: database.id, userId: id, tenantId: tenant }
  const add = `tenant add-user ${database.path} ${tenant} ${email}`
  const added = await usher.operator(add)
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Added user ${id} to tenant ${tenant}.`),
    audited: [{ audit: 'tenant.user_added', ...membership }],
  })
  expect(await usher.json(add)).toEqual(membership)
  expect(await tenantsOf(database, email)).toEqual([tenant])

  const remove = `tenant remove-user ${database.path} ${tenant} ${id}`
  expect((await usher.operator(remove)).audited).toMatchObject([
    { audit: 'tenant.user_removed', ...membership },
  ])
  expect(await tenantsOf(database, email)).toEqual([])
  expect(await usher.outcome(remove)).toBe(`1 usher: user ${id} is not a member of tenant ${tenant}\n`)
})

it('tenant add-user does not find a tenant of another database', async ({ usher, database }) => {
  const other = await usher.newDatabase()
  const [tenant] = (await other.signedUp({ newTenant: 'Elsewhere' })).tenants
  const { id } = await database.signedUp()
  expect(await usher.outcome(`tenant add-user ${database.path} ${tenant} ${id}`)).toBe(
    `1 usher: tenant ${tenant} does not exist in ${database.path}\n`,
  )
})

it('tenant create, rename and delete change a tenant, and leave its users', async ({ usher, database }) => {
  const { databaseId, id } = await usher.json(`tenant create ${database.path} Engines`)
  expect(databaseId).toBe(database.id)
  const email = 'ada@example.com'
  await database.signedUp({ email })
  await usher.json(`tenant add-user ${database.path} ${id} ${email}`)
  const renamed = await usher.operator(`tenant rename ${database.path} ${id} Looms`)
  expect(renamed).toMatchObject({ stdout: `Renamed tenant ${id}.\n`, audited: [{ audit: 'tenant.renamed' }] })
  expect(await usher.json(`tenant list ${database.path}`)).toMatchObject([{ id, name: 'Looms', users: 1 }])
  expect(await usher.outcome(`tenant delete ${database.path} ${id}`)).toBe(
    `2 usher: deleting tenant ${id} without a terminal requires --yes\n`,
  )
  const remove = `tenant delete ${database.path} ${id} --yes`
  expect((await usher.operator(remove)).stdout).toBe(`Deleted tenant ${id}. Users who were members: 1.\n`)
  expect(await tenantsOf(database, email)).toEqual([])
  const missing = `1 usher: tenant ${id} does not exist in ${database.path}\n`
  expect(await usher.outcome(remove)).toBe(missing)
  expect(await usher.outcome(`tenant rename ${database.path} ${id} Looms`)).toBe(missing)
  expect(await usher.outcome(`tenant create ${database.path} ${'x'.repeat(256)}`)).toBe(
    '1 usher: the name must have at most 255 characters\n',
  )
})
