import { expect, inject } from 'vitest'
import { password, type TestDatabase } from '../support/app.js'
import { it } from '../support/operator.js'

const tenantsOf = async (database: TestDatabase, email: string) =>
  (await database.login({ email, password })).json().tenants

it('tenant list returns pages and counts users', async ({ usher }) => {
  const { path, signedUp } = await usher.newDatabase()
  const first = (await signedUp({ newTenant: 'One' })).tenants[0]
  const second = (await signedUp({ newTenant: 'Two \u001b[31m' })).tenants[0]
  expect(await usher.rows(`tenant list ${path} --limit 1`)).toMatchObject([
    { id: first, name: 'One', users: 1 },
  ])
  expect(await usher.rows(`tenant list ${path} --after ${first}`)).toMatchObject([{ id: second }])
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
    stdout: expect.stringContaining(`Added user ${id} to tenant ${tenant} with the role member.`),
    audited: [{ audit: 'tenant.user_added', ...membership }],
  })
  expect(await usher.json(add)).toEqual({})
  const { stdout, audited } = await usher.operator(`${add} --role admin`)
  expect(stdout).toContain(`Changed the role of user ${id} in tenant ${tenant} to admin.`)
  expect(audited).toMatchObject([{ audit: 'tenant.role_changed', ...membership, role: 'admin' }])
  expect(await usher.outcome(`${add} --role guest`)).toMatch(/^2 usher: role must be owner, admin, member\n$/)
  const listed = await usher.operator(`tenant list-users ${database.path} ${tenant}`)
  expect(listed.stdout).toContain(`${id}  admin  ${email}\n`)
  expect(await tenantsOf(database, email)).toEqual([tenant])

  const remove = `tenant remove-user ${database.path} ${tenant} ${id}`
  expect((await usher.operator(remove)).audited).toMatchObject([
    { audit: 'tenant.user_removed', ...membership },
  ])
  expect(await tenantsOf(database, email)).toEqual([])
  expect(await usher.outcome(remove)).toBe(`3 usher: user ${id} is not a member of tenant ${tenant}\n`)
})

it('tenant add-user does not find a tenant of another database', async ({ usher, database }) => {
  const other = await usher.newDatabase()
  const [tenant] = (await other.signedUp({ newTenant: 'Elsewhere' })).tenants
  const { id } = await database.signedUp()
  expect(await usher.outcome(`tenant add-user ${database.path} ${tenant} ${id}`)).toBe(
    `3 usher: tenant ${tenant} does not exist in ${database.path}\n`,
  )
})

it('tenant create creates a tenant without users, and tenant rename changes its name', async ({
  usher,
  database,
}) => {
  const { code, stdout, audited } = await usher.operator(`tenant create ${database.path} Engines`)
  const [created] = await usher.rows(`tenant list ${database.path}`)
  expect(created).toMatchObject({ name: 'Engines', users: 0 })
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Created tenant ${created.id}.\n` })
  const ids = { databaseId: database.id, tenantId: created.id }
  expect(audited).toMatchObject([{ audit: 'tenant.created', ...ids }])

  const rename = `tenant rename ${database.path} ${created.id} Looms`
  const renamed = await usher.operator(rename)
  expect(renamed).toMatchObject({
    code: 0,
    stdout: `Renamed tenant ${created.id}.\n`,
    audited: [{ audit: 'tenant.updated', ...ids }],
  })
  const { users: _, ...shown } = created
  expect(await usher.json(rename)).toMatchObject({ ...shown, name: 'Looms' })
  const seats = `tenant set-seats ${database.path} ${created.id}`
  expect(await usher.json(`${seats} 25`)).toMatchObject({ seats: 25 })
  expect(await usher.json(`${seats} none`)).toMatchObject({ seats: null })
  expect(await usher.rows(`tenant list ${database.path}`)).toEqual([{ ...created, name: 'Looms' }])
})

it('tenant delete removes the users of a tenant, who stay, and no other tenant', async ({
  usher,
  database,
}) => {
  const email = 'ada@example.com'
  const { tenants, token } = await database.signedUp({ email, newTenant: 'Engines' })
  const [tenant = ''] = tenants
  const other = await usher.json(`tenant create ${database.path} Engines`)
  for (const each of [tenant, other.id]) {
    const { id } = await database.signedUp()
    await usher.json(`tenant add-user ${database.path} ${each} ${id}`)
  }
  const deleted = await usher.operator(`tenant delete ${database.path} ${tenant} --yes`)
  expect(deleted).toMatchObject({
    code: 0,
    stdout: `Deleted tenant ${tenant}. Users removed from it: 2.\n`,
    audited: [{ audit: 'tenant.deleted', databaseId: database.id, tenantId: tenant }],
  })
  expect(await usher.rows(`tenant list ${database.path}`)).toMatchObject([{ id: other.id, users: 1 }])
  expect((await database.me(token.jwt)).json()).toMatchObject({ email, tenants: [], memberships: [] })
  expect(await usher.outcome(`tenant delete ${database.path} ${tenant} --yes`)).toBe(
    `3 usher: tenant ${tenant} does not exist in ${database.path}\n`,
  )
})

// Citus has no triggers on distributed tables.
it.skipIf(inject('postgresNodes').length > 1)(
  'tenant delete that fails after many users continues where it ended',
  async ({ usher, store, database }) => {
    await usher.json(`database set ${database.path} --webhook-url http://localhost:9`)
    const tenant = await usher.json(`tenant create ${database.path} Engines`)
    const other = await usher.json(`tenant create ${database.path} Looms`)
    await store.query(
      `WITH added AS (
      INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
      SELECT $1::uuid, gen_random_uuid(), i || '@example.com', i || '@example.com', '', now()
      FROM generate_series(1, 300) AS i RETURNING id
    )
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
    SELECT $1::uuid, added.id, tenant.id, now() FROM added, unnest($2::uuid[]) AS tenant (id)`,
      [database.id, [tenant.id, other.id]],
    )
    const isLast = `OLD.tenant_id = '${tenant.id}' AND (SELECT count(*) FROM usher.membership WHERE tenant_id = '${tenant.id}') < 50`
    await store.query(
      `CREATE FUNCTION usher.fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF ${isLast} THEN RAISE EXCEPTION 'disk full'; END IF; RETURN OLD; END $$`,
      [],
    )
    await store.query(
      'CREATE TRIGGER fail AFTER DELETE ON usher.membership FOR EACH ROW EXECUTE FUNCTION usher.fail()',
      [],
    )
    const command = `tenant delete ${database.path} ${tenant.id} --yes`
    expect((await usher.operator(command)).code).toBe(1)
    await store.query('DROP TRIGGER fail ON usher.membership', [])
    expect(await usher.rows(`tenant list ${database.path}`)).toMatchObject([{ users: 50 }, { users: 300 }])

    expect((await usher.operator(command)).stdout).toBe(
      `Deleted tenant ${tenant.id}. Users removed from it: 50.\n`,
    )
    const events = await store.query<{ users: number; rows: number }>(
      `SELECT count(DISTINCT user_id)::int AS users, count(*)::int AS rows FROM usher.outbox
    WHERE database_id = $1::uuid AND payload->>'type' = 'tenant.user_removed'`,
      [database.id],
    )
    expect(events).toEqual([{ users: 300, rows: 300 }])
    expect(await usher.rows(`tenant list ${database.path}`)).toMatchObject([{ id: other.id, users: 300 }])
  },
)

it('tenant delete asks for the name of the tenant on a terminal, and requires --yes elsewhere', async ({
  usher,
  database,
}) => {
  const { id } = await usher.json(`tenant create ${database.path} Engines`)
  const command = `tenant delete ${database.path} ${id}`
  expect(await usher.outcome(command)).toBe(
    `2 usher: deleting tenant ${id} without a terminal requires --yes\n`,
  )
  expect(await usher.outcome(command, [id])).toMatch(
    /^1 .*Type Engines to delete this tenant permanently: .*usher: the name does not match\. Nothing was changed\n$/s,
  )
  expect(await usher.rows(`tenant list ${database.path}`)).toHaveLength(1)
  expect(await usher.operator(command, ['Engines'])).toMatchObject({ code: 0 })
  expect(await usher.rows(`tenant list ${database.path}`)).toEqual([])
})

it('tenant rename and tenant delete do not find a tenant of another database', async ({
  usher,
  database,
}) => {
  const { path } = await usher.newDatabase()
  const { id } = await usher.json(`tenant create ${path} Elsewhere`)
  for (const command of [
    `tenant rename ${database.path} ${id} Engines`,
    `tenant delete ${database.path} ${id} --yes`,
  ]) {
    expect(await usher.outcome(command)).toBe(`3 usher: tenant ${id} does not exist in ${database.path}\n`)
  }
  expect(await usher.rows(`tenant list ${path}`)).toMatchObject([{ id, name: 'Elsewhere' }])
})
