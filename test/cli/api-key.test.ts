import { expect } from 'vitest'
import { it } from '../support/operator.js'

const form = /^usher_[\dA-Za-z]{12}_[\dA-Za-z]{49}$/

it('api-key create prints a key once, and api-key list shows the key without its secret', async ({
  usher,
  database,
}) => {
  const { path, id: databaseId } = database
  const before = Date.now()
  const { stdout, audited } = await usher.operator(
    `api-key create ${path} --name backend --scope users:read,users:write --scope tenants:read --expires-in 90d`,
  )
  const [, id = '', expiresAt = '', key = ''] =
    /^Created API key (\w+)\. It expires at (.*)\. The key is not shown again:\n(.*)\n$/.exec(stdout) ?? []
  expect(key).toMatch(form)
  expect(key).toContain(`usher_${id}_`)
  const createdAt = Date.parse(expiresAt) - 90 * 86_400_000
  expect([before <= createdAt, createdAt <= Date.now()]).toEqual([true, true])
  const scopes = ['users:read', 'users:write', 'tenants:read']
  expect(audited).toMatchObject([{ audit: 'api_key.created', databaseId, apiKey: id, scopes }])
  const [listed] = await usher.rows(`api-key list ${path}`)
  expect(listed).toMatchObject({ id, name: 'backend', scopes, ending: key.slice(-4), lastUsedOn: null })
  expect(JSON.stringify(listed)).not.toContain(key.slice(20, 40))
  expect((await usher.operator(`api-key list ${path}`)).stdout).toMatch(
    new RegExp(`^ID .*\\n${id}  .{4} {7}\\S+  never      users:read,users:write,tenants:read  backend\\n$`),
  )
})

it('api-key rotate replaces a key once, and shortens its lifetime', async ({ usher, database: { path } }) => {
  const first = await usher.json(`api-key create ${path} --name backend --scope users:read`)
  const second = await usher.json(`api-key rotate ${path} ${first.id} --overlap 0`)
  expect(second).toMatchObject({ key: expect.stringMatching(form), name: 'backend', scopes: ['users:read'] })
  const [replaced] = await usher.rows(`api-key list ${path}`)
  expect(Date.parse(replaced.expiresAt)).toBeLessThanOrEqual(Date.now())
  expect(await usher.outcome(`api-key rotate ${path} ${first.id}`)).toBe(
    `1 usher: API key ${first.id} has already been replaced\n`,
  )
})

it('api-key rotate keeps the lifetime of a key, and does not prolong the replaced one', async ({
  usher,
  database: { path },
}) => {
  const first = await usher.json(`api-key create ${path} --name backend --scope users:read --expires-in 30m`)
  const second = await usher.json(`api-key rotate ${path} ${first.id} --overlap 24h`)
  for (const { createdAt, expiresAt } of [first, second])
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 60_000)
  const listed = await usher.rows(`api-key list ${path}`)
  for (const { id, key, expiresAt } of [first, second])
    expect(listed).toContainEqual(expect.objectContaining({ id, expiresAt, ending: key.slice(-4) }))
  const unknown = 'A'.repeat(12)
  expect(await usher.outcome(`api-key rotate ${path} ${unknown}`)).toContain(
    `API key ${unknown} does not exist in ${path}`,
  )
})

it('api-key revoke deletes a key', async ({ usher, database: { path } }) => {
  const { id } = await usher.json(`api-key create ${path} --name backend --scope users:read`)
  expect((await usher.operator(`api-key revoke ${path} ${id}`)).stdout).toBe(`Revoked API key ${id}.\n`)
  expect(await usher.rows(`api-key list ${path}`)).toEqual([])
  expect(await usher.outcome(`api-key revoke ${path} ${id}`)).toMatch(
    `usher: API key ${id} does not exist in ${path}\n`,
  )
})

it('a database has at most 20 API keys, without those that are replaced or expired', async ({
  usher,
  database: { path },
}) => {
  const create = `api-key create ${path} --name backend --scope users:read`
  const expired = await usher.json(create)
  const data = { createdAt: new Date(0), expiresAt: new Date(30_000) }
  await usher.store.prisma.apiKey.updateMany({ where: { id: expired.id }, data })
  const { id } = await usher.json(create)
  for (let count = 1; count < 20; count++) await usher.json(create)
  const refused = `usher: database ${path} already has the maximum of 20 API keys`
  expect(await usher.outcome(create)).toContain(refused)
  expect(await usher.outcome(`api-key rotate ${path} ${expired.id}`)).toContain(refused)
  const { id: successor } = await usher.json(`api-key rotate ${path} ${id}`)
  expect(await usher.rows(`api-key list ${path}`)).toHaveLength(22)
  await usher.json(`api-key revoke ${path} ${successor}`)
  await usher.json(`api-key rotate ${path} ${expired.id}`)
})

it.for([
  ['--scope users:read', "required option '--name <name>' not specified"],
  ['--name backend', "required option '--scope <scopes>' not specified"],
  ['--name backend --scope users', 'Expected some of users:read, users:write,'],
  ['--name backend --scope users:read,', 'Expected some of users:read, users:write,'],
  ['--name backend --scope users:read --expires-in 90', 'Expected a duration such as 90d, 24h or 30m'],
  ['--name backend --scope users:read --expires-in 0', 'Expected a duration such as 90d, 24h or 30m'],
])('api-key create refuses %s', async ([options, message], { usher, database: { path } }) => {
  expect(await usher.outcome(`api-key create ${path} ${options}`)).toContain(message)
})
