import type { SignedInUser } from '@usher/contract'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { withOwnStore } from '../../support/api.js'
import { password, startApp, type TestApi } from '../../support/app.js'
import { setDatabase } from '../../support/operator-changes.js'
import { codeIn, startSmtp } from '../../support/smtp.js'
import { report, times } from '../form.js'
import { isSearch, planOf, recordStatements } from '../plans/statement-plans.js'

// A tenant with many members, and a user in many tenants. A cost is the most buffers that a statement of a request reads, by
// its generic plan or by that of its values: it does not depend on the machine.

const members = times(2_000, 100_000)
const tenants = times(200, 1_000)
const pageSize = 100
const email = 'ada@example.com'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('world', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const smtp = await startSmtp()
    const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' }
    const client = new pg.Client({ connectionString: store.settings?.DATABASE_URL })
    await client.connect()
    const api = await startApp(store)
    api.clock.now = Date.now()
    onCleanup(async () => {
      await client.end()
      await api.close()
      await smtp.close()
    })
    const database = await api.newDatabase()
    await setDatabase(api.store, database, { appUrl: 'https://app.example.com' })
    const ada: SignedInUser = await database.signedUp({ email, newTenant: 'Engines' })
    await database.markVerified(email)

    /** Runs a request on a separate server. Returns its result and its cost. */
    async function costOf<Result>(work: (server: TestApi) => Promise<Result>) {
      const { recording, sent } = recordStatements(store)
      const server = await startApp(recording, settings)
      server.clock.now = Date.now()
      const result = await work(server)
      await server.close()
      let cost = 0
      for (const statement of sent())
        if (/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(statement.text) && !isSearch(statement.text))
          for (const mode of ['force_generic_plan', 'force_custom_plan'] as const)
            cost = Math.max(cost, (await planOf(client, statement, mode)).buffers ?? 0)
      return { result, cost }
    }
    type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
    /** Sends a request of a user, whose response must have a status. Returns its body. */
    async function sendTo(
      server: TestApi,
      [status, method, path]: readonly [number, Method, string],
      { payload, by: { token } = ada }: { payload?: object; by?: SignedInUser } = {},
    ) {
      const response = await server.send({
        method,
        url: `${database.users.replace(/users$/, '')}${path}`,
        headers: { authorization: `Bearer ${token.jwt}` },
        ...(payload && { payload }),
      })
      expect([path, response.statusCode]).toEqual([path, status])
      return response.body ? response.json() : undefined
    }
    const send = (request: readonly [number, Method, string], payload?: object) =>
      costOf((server) => sendTo(server, request, payload && { payload }))
    return { store, smtp, client, database, ada, costOf, send, sendTo }
  })

it('no request reads all members of a large tenant', async ({ world }) => {
  const { store, smtp, client, database, ada, costOf, send, sendTo } = world
  const [tenantId] = ada.tenants
  await client.query(
    `WITH member AS (
      INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
      SELECT '${database.id}', id, id || '@example.com', id || '@example.com', 'none', now()
      FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${members})) AS made RETURNING id
    ) INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
    SELECT '${database.id}', id, '${tenantId}', now(), CASE WHEN random() < 0.01 THEN 'admin' ELSE 'member' END FROM member`,
  )
  await client.query('ANALYZE')
  const list = `tenants/${tenantId}/members?limit=${pageSize}`
  const first = await send([200, 'GET', list])
  const [{ id: last = '' } = {}] = (
    await client.query(
      `SELECT user_id AS id FROM usher.membership WHERE tenant_id = '${tenantId}' ORDER BY 1 OFFSET ${members - pageSize} LIMIT 1`,
    )
  ).rows
  const later = await send([200, 'GET', `${list}&after=${last}`])
  expect([first, later].map(({ result }) => result.members.length)).toEqual([pageSize, pageSize])

  const target = `tenants/${tenantId}/members/${first.result.members[0].id}`
  const invited: SignedInUser = await database.signedUp({ email: 'grace@example.com' })
  await store.prisma.user.updateMany({ where: { id: invited.id }, data: { emailVerifiedAt: new Date() } })
  const body = { email: 'grace@example.com', role: 'member' }
  const costs: Record<string, number> = { 'first page': first.cost, 'last page': later.cost }
  costs.changeMember = (await send([200, 'PATCH', target], { role: 'owner' })).cost
  costs['inviteMember and acceptInvitation'] = (
    await costOf(async (server) => {
      await sendTo(server, [201, 'POST', `tenants/${tenantId}/invitations`], { payload: body })
      const mail = await vi.waitFor(() => smtp.mails[0] ?? expect.fail('no mail'), 10_000)
      const payload = { code: codeIn(mail) }
      await sendTo(server, [200, 'POST', 'invitations/accept'], { payload, by: invited })
    })
  ).cost
  costs.removeMember = (await send([204, 'DELETE', target])).cost
  report(`buffers with ${members} members: ${JSON.stringify(costs)}`)
  expect(later.cost).toBeLessThanOrEqual(2 * first.cost)
  for (const [name, cost] of Object.entries(costs))
    expect([name, Math.max(cost, 6 * pageSize)]).toEqual([name, 6 * pageSize])
})

it('a user of many tenants signs in with a small token', async ({ world }) => {
  const { client, database, ada, costOf } = world
  await client.query(
    `WITH made AS (
      INSERT INTO usher.tenant (database_id, id, name, created_at)
      SELECT '${database.id}', gen_random_uuid(), 'Tenant ' || n, now() FROM generate_series(2, ${tenants}) AS n RETURNING id
    ) INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
    SELECT '${database.id}', '${ada.id}', id, now(), 'owner' FROM made`,
  )
  await client.query('ANALYZE')
  const login = await costOf(async (server) => {
    const { users } = server.client(database.workspaceSlug, database.databaseName)
    const response = await server.send({
      method: 'POST',
      url: `${users}/login`,
      payload: { email, password },
    })
    return response.json() as SignedInUser
  })
  const { token } = login.result
  const me = await costOf((server) =>
    server.client(database.workspaceSlug, database.databaseName).me(token.jwt),
  )
  expect(me.result.json().memberships).toHaveLength(tenants)
  expect(token.jwt.length).toBeLessThan(1_000)
  // Each membership reads its tenant.
  for (const { cost } of [login, me]) expect(cost).toBeLessThan(8 * tenants)
  const size = `token ${token.jwt.length} bytes, me ${me.result.body.length} bytes`
  report(`with ${tenants} tenants: ${size}, buffers of login ${login.cost} and me ${me.cost}`)
})
