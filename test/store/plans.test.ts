import { expect } from 'vitest'
import { withOwnStore as it } from '../support/api.js'
import { password, startApp } from '../support/app.js'

const email = 'ada@example.com'

it('login, refresh and me read no table as a whole, even in a small database', async ({ store }) => {
  const statements = new Map<string, unknown[]>()
  const query: typeof store.query = (text, values, milliseconds) => {
    statements.set(text, values)
    return store.query(text, values, milliseconds)
  }
  const api = await startApp({ ...store, query })
  const database = await api.newDatabase()
  await addUsers(store, database.id, 1000)
  const session = await database.opened({ email, newTenant: 'Engines' })
  statements.clear()
  const responses = [
    await database.login({ email, password }),
    await database.refresh(session.refreshToken.value),
    await database.me(session.token.jwt),
  ]
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  const reads: string[] = []
  for (const [text, values] of statements) {
    const plan = await store.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
    reads.push(...plan.map((line) => line['QUERY PLAN']).filter((line) => line.includes(' on ')))
  }
  expect(reads.filter((line) => /Index Scan.* on "user" u/.test(line))).not.toEqual([])
  expect(reads.filter((line) => /Seq Scan on ("user"|membership|tenant)/.test(line))).toEqual([])
  await api.close()
})

/** Adds users with a tenant each, of whom the planner knows. */
async function addUsers({ prisma }: Parameters<typeof startApp>[0], databaseId: string, count: number) {
  await prisma.$executeRaw`
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
    SELECT ${databaseId}::uuid, gen_random_uuid(), 'user' || n, 'user' || n, '', now()
    FROM generate_series(1, ${count}::int) AS n`
  await prisma.$executeRaw`
    INSERT INTO usher.tenant (database_id, id, name, created_at)
    SELECT database_id, id, email, created_at FROM usher."user" WHERE database_id = ${databaseId}::uuid`
  await prisma.$executeRaw`
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
    SELECT database_id, id, id, created_at FROM usher."user" WHERE database_id = ${databaseId}::uuid`
  await prisma.$executeRaw`ANALYZE usher."user", usher.tenant, usher.membership`
}
