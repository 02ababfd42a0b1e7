import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Claims, createVerifier } from '@usher/verify'
import { build } from 'esbuild'
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { startOwnPostgres } from '../support/own-postgres.js'
import { snippetsOf } from '../support/snippets.js'
import { it as liveTest, optionsOf } from '../verify/live.js'

const it = liveTest
  /** A Postgres server with the roles, functions, tables and policies of docs/rls.sql. */
  .extend('server', { scope: 'file' }, async ({ database: _ }, { onCleanup }) => {
    const server = await startOwnPostgres()
    const owner = new pg.Client(server.url)
    await owner.connect()
    await owner.query(await readFile('docs/rls.sql', 'utf8'))
    const url = server.url.replace('postgres@', 'authenticator@')
    const client = new pg.Client(url)
    await client.connect()
    onCleanup(async () => {
      await owner.end()
      await client.end()
      await server.stop()
    })
    return { url, owner, client }
  })
  /** Four tenants, and the verified claims of eight users with roles in some of them. */
  .extend('users', { scope: 'file' }, async ({ usher, database, options }) => {
    const { verify } = createVerifier(options)
    const now = new Date(usher.clock.now)
    const tenants = Array.from({ length: 4 }, () => randomUUID())
    const databaseId = database.id
    await usher.store.prisma.tenant.createMany({
      data: tenants.map((id) => ({ databaseId, id, name: 'T', createdAt: now })),
    })
    const users: Claims[] = []
    for (const roles of rolesOfUsers) {
      const email = `${randomUUID()}@example.com`
      const { id: userId } = await database.signedUp({ email })
      await usher.store.prisma.membership.createMany({
        data: Object.entries(roles).map(([index, role]) => ({
          databaseId,
          userId,
          tenantId: tenants[Number(index)] ?? '',
          joinedAt: now,
          role,
        })),
      })
      const { data } = await verify((await database.login({ email, password })).json().token.jwt)
      if (data) users.push(data.claims)
    }
    return { tenants, users }
  })

/** The role of each user in tenants by their indexes. */
const rolesOfUsers: Record<number, string>[] = [
  {},
  { 0: 'owner' },
  { 1: 'member' },
  { 0: 'member', 1: 'admin' },
  { 2: 'billing', 3: 'owner' },
  { 3: 'member' },
  { 1: 'owner', 2: 'member' },
  { 0: 'member', 1: 'admin', 2: 'owner', 3: 'billing' },
]

/** What a statement did: its rows as text, or the SQLSTATE of its error. */
type Outcome = string | string[]

/** Runs a statement in a transaction with the claims of a request, set as PostgREST sets them. */
async function runAs(
  client: pg.Client,
  claims: string | undefined,
  sql: string,
  values: unknown[] = [],
  role: unknown = 'authenticated',
) {
  await client.query('BEGIN')
  try {
    await client.query(
      "SELECT set_config('search_path', 'public', true), set_config('role', $1, true), set_config('request.method', 'GET', true)",
      [role],
    )
    if (claims !== undefined)
      await client.query("SELECT set_config('request.jwt.claims', $1, true)", [claims])
    const { rows } = await client.query({ text: sql, values, rowMode: 'array' })
    await client.query('COMMIT')
    return rows.map((row) => row.join(' ')).sort() as Outcome
  } catch (error) {
    await client.query('ROLLBACK')
    return String((error as { code: string }).code)
  }
}

const operations = [
  'insert',
  'select',
  'rename',
  'move',
  'delete',
  'addTask',
  'tasks',
  'count',
  'truncate',
] as const
const step = fc.record({
  operation: fc.constantFrom(...operations),
  user: fc.nat(7),
  tenant: fc.nat(3),
  row: fc.nat(2),
})

/**
 * A sequence in which each operation has each of its outcomes. User 0 has no tenant, user 3 is a member of tenant 0 and an
 * admin of tenant 1.
 */
const everyOutcome = (
  [
    ['insert', 3, 0],
    ['insert', 3, 0],
    ['insert', 3, 2],
    ['select', 3, 0],
    ['select', 0, 0],
    ['rename', 3, 0],
    ['rename', 0, 0],
    ['delete', 3, 0],
    ['move', 3, 2],
    ['move', 3, 1],
    ['addTask', 3, 1],
    ['addTask', 3, 0],
    ['addTask', 3, 2],
    ['tasks', 3, 0],
    ['tasks', 0, 0],
    ['count', 3, 0],
    ['delete', 0, 0],
    ['delete', 3, 0],
    ['truncate', 3, 0],
  ] as const
).map(([operation, user, tenant]) => ({ operation, user, tenant, row: 0 }))

const denied = '42501'
const noReference = '23503'
const duplicate = '23505'

describe('docs/rls.sql', () => {
  it('shows and changes only rows of the tenants of the token, in every generated sequence', {
    timeout: 180_000,
  }, async ({ server, users: { tenants, users } }) => {
    const { client, owner } = server
    const ids = Array.from({ length: 3 }, () => randomUUID())
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        await owner.query('TRUNCATE project, task')
        /** Tenant and ID of each project, and tenant and title of each task of a project. */
        const projects = new Map<string, { tenant: string; id: string; name: string; tasks: string[] }>()
        for (const [index, { operation, ...each }] of steps.entries()) {
          const claims = users[each.user]
          const own = claims?.tenants ?? []
          const tenant = tenants[each.tenant] ?? ''
          const id = ids[each.row] ?? ''
          const run = (sql: string, values: unknown[] = []) =>
            runAs(client, JSON.stringify(claims), sql, values)
          const visible = [...projects.values()].filter((project) => own.includes(project.tenant))
          const named = visible.filter((project) => project.id === id)
          const text = `text ${index}`
          const check = async (actual: Promise<Outcome>, expected: Outcome) => {
            seen.add(`${operation} ${Array.isArray(expected) ? expected.length > 0 : expected}`)
            expect(await actual).toEqual(Array.isArray(expected) ? expected.sort() : expected)
          }
          if (operation === 'insert') {
            const key = `${tenant} ${id}`
            const expected = !own.includes(tenant) ? denied : projects.has(key) ? duplicate : [key]
            const sql = 'INSERT INTO project VALUES ($1, $2, $3) RETURNING tenant_id, id'
            await check(run(sql, [tenant, id, text]), expected)
            if (Array.isArray(expected)) projects.set(key, { tenant, id, name: text, tasks: [] })
          } else if (operation === 'select') {
            await check(
              run('SELECT tenant_id, id, name FROM project'),
              visible.map((project) => `${project.tenant} ${project.id} ${project.name}`),
            )
          } else if (operation === 'rename') {
            const sql = 'UPDATE project SET name = $1 WHERE id = $2 RETURNING tenant_id'
            await check(
              run(sql, [text, id]),
              named.map((project) => project.tenant),
            )
            for (const project of named) project.name = text
          } else if (operation === 'move') {
            const [project] = named
            if (!project || named.length > 1 || project.tasks.length > 0) continue
            const isTaken = projects.has(`${tenant} ${id}`) && project.tenant !== tenant
            const expected = !own.includes(tenant) ? denied : isTaken ? duplicate : [tenant]
            const sql = 'UPDATE project SET tenant_id = $1 WHERE id = $2 RETURNING tenant_id'
            await check(run(sql, [tenant, id]), expected)
            if (!Array.isArray(expected)) continue
            projects.delete(`${project.tenant} ${id}`)
            projects.set(`${tenant} ${id}`, { ...project, tenant })
          } else if (operation === 'delete') {
            const roles = rolesOfUsers[each.user] ?? {}
            const deletable = named.filter((project) =>
              ['owner', 'admin'].includes(roles[(tenants as string[]).indexOf(project.tenant)] ?? ''),
            )
            if (named.length > deletable.length) seen.add('delete refused')
            await check(
              run('DELETE FROM project WHERE id = $1 RETURNING tenant_id', [id]),
              deletable.map((project) => project.tenant),
            )
            for (const project of deletable) projects.delete(`${project.tenant} ${id}`)
          } else if (operation === 'addTask') {
            const project = projects.get(`${tenant} ${id}`)
            const expected = !own.includes(tenant) ? denied : !project ? noReference : [text]
            const sql = 'INSERT INTO task VALUES ($1, $2, $3, $4) RETURNING title'
            await check(run(sql, [tenant, randomUUID(), id, text]), expected)
            if (Array.isArray(expected)) project?.tasks.push(text)
          } else if (operation === 'tasks') {
            await check(
              run('SELECT tenant_id, title, project_name FROM open_task'),
              visible.flatMap(({ tenant, tasks, name }) =>
                tasks.map((title) => `${tenant} ${title} ${name}`),
              ),
            )
          } else if (operation === 'count') {
            const sql =
              'SELECT count(DISTINCT project.*), count(task.id) FROM project FULL JOIN task USING (tenant_id)'
            const tasks = visible.flatMap((project) => project.tasks.map(() => project.tenant))
            const joined = tasks.map(
              (taskTenant) => visible.filter((project) => project.tenant === taskTenant).length,
            )
            await check(run(sql), [`${visible.length} ${joined.reduce((sum, count) => sum + count, 0)}`])
          } else {
            await check(run('TRUNCATE project, task'), denied)
          }
        }
        const { rows } = await owner.query('SELECT tenant_id, id, name FROM project')
        expect(new Set(rows.map((row) => `${row.tenant_id} ${row.id} ${row.name}`))).toEqual(
          new Set([...projects.values()].map(({ tenant, id, name }) => `${tenant} ${id} ${name}`)),
        )
      }),
      { numRuns: 20, examples: [[everyOutcome]] },
    )
    const outcomes = [
      [
        'insert true',
        `insert ${denied}`,
        `insert ${duplicate}`,
        'select true',
        'select false',
        'rename true',
      ],
      ['rename false', 'move true', `move ${denied}`, 'delete true', 'delete false', 'addTask true'],
      [`addTask ${denied}`, `addTask ${noReference}`, 'tasks true', 'tasks false', 'count true'],
      ['delete refused', `truncate ${denied}`],
    ].flat()
    expect(outcomes.filter((outcome) => !seen.has(outcome))).toEqual([])
  })

  it('shows bank accounts only with two factors, and changes them only soon after', async ({
    server: { client, owner },
    users: { users },
  }) => {
    const [, claims] = users
    const [tenant] = claims?.tenants ?? []
    const now = Math.floor(Date.now() / 1000)
    const run = (changes: object, sql: string, values: unknown[] = []) =>
      runAs(
        client,
        JSON.stringify({ ...claims, acr: undefined, auth_time: undefined, ...changes }),
        sql,
        values,
      )
    const insert = 'INSERT INTO bank_account VALUES ($1, gen_random_uuid(), $2) RETURNING iban'
    const recent = { acr: 'aal2', auth_time: now - 500 }
    expect(await run(recent, insert, [tenant, 'DE02'])).toEqual(['DE02'])
    expect(await run(recent, insert, [randomUUID(), 'DE02'])).toBe(denied)
    for (const refused of [{}, { acr: 'aal1', auth_time: now }, { acr: null }, { acr: ['aal2'] }]) {
      expect(await run(refused, insert, [tenant, 'DE03']), JSON.stringify(refused)).toBe(denied)
      expect(await run(refused, 'SELECT iban FROM bank_account'), JSON.stringify(refused)).toEqual([])
    }
    const update = "UPDATE bank_account SET iban = 'DE04' RETURNING iban"
    for (const earlier of [{ auth_time: now - 700 }, {}, { auth_time: null }]) {
      const claimed = { acr: 'aal2', ...earlier }
      expect(await run(claimed, 'SELECT iban FROM bank_account')).toEqual(['DE02'])
      expect(await run(claimed, update)).toEqual([])
    }
    expect(await run(recent, update)).toEqual(['DE04'])
    const { rows } = await owner.query('SELECT iban FROM bank_account')
    expect(rows).toEqual([{ iban: 'DE04' }])
  })

  it('shows reports only with the plan of the tenant in the token', async ({
    server: { client },
    usher,
    options,
  }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { claimSources: ['plan=tenant.privateMetadata.plan'] })
    const { verify } = createVerifier<{ plan?: string }>({
      ...options,
      ...optionsOf(usher, options.baseUrl, database),
    })
    const { tenants } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
    const outcomeOf = async (privateMetadata: object, sql: string, values: unknown[] = []) => {
      const where = { databaseId: database.id }
      await usher.store.prisma.tenant.updateMany({ where, data: { privateMetadata } })
      const { token } = (await database.login({ email: 'ada@example.com', password })).json()
      const { data } = await verify(token.jwt)
      return [data?.claims.plan, await runAs(client, JSON.stringify(data?.claims), sql, values)]
    }
    const insert = "INSERT INTO report VALUES ($1, gen_random_uuid(), 'R') RETURNING title"
    const select = 'SELECT title FROM report'
    expect(await outcomeOf({ plan: 'pro' }, insert, tenants)).toEqual(['pro', ['R']])
    expect(await outcomeOf({ plan: 'pro' }, insert, [randomUUID()])).toEqual(['pro', denied])
    expect(await outcomeOf({ plan: 'pro' }, select)).toEqual(['pro', ['R']])
    for (const privateMetadata of [{ plan: 'free' }, { plan: ['pro'] }, {}]) {
      const { plan } = privateMetadata as { plan?: unknown }
      expect(await outcomeOf(privateMetadata, select)).toEqual([plan, []])
      expect(await outcomeOf(privateMetadata, insert, tenants)).toEqual([plan, denied])
    }
  })

  it('works with the role of a fixed claim, as PostgREST takes it', async ({ server, usher, options }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { claims: { role: 'authenticated' } })
    const { tenants, token } = await database.signedUp({ newTenant: 'Engines' })
    const { verify } = createVerifier({ ...options, ...optionsOf(usher, options.baseUrl, database) })
    const { data } = await verify(token.jwt)
    expect(data?.claims.role).toBe('authenticated')
    await server.owner.query('TRUNCATE project, task')
    for (const tenant of [tenants[0], randomUUID()]) {
      await server.owner.query('INSERT INTO project VALUES ($1, gen_random_uuid(), $2)', [tenant, tenant])
    }
    const { claims } = data ?? {}
    expect(
      await runAs(server.client, JSON.stringify(claims), 'SELECT name FROM project', [], claims?.role),
    ).toEqual(tenants)
  })

  it.for<[string, string | undefined]>([
    ['no claims', undefined],
    ['empty claims', ''],
    ['claims without tenants', '{"sub":"01900000-0000-7000-8000-000000000000"}'],
    ['tenants that are no list', '{"tenants":"all"}'],
    ['tenants that are no IDs', '{"tenants":["*"]}'],
    ['tenants that are null', '{"tenants":null}'],
    ['claims that are no JSON', 'all'],
  ])('shows no row to %s', async ([, claims], { server, users: { tenants, users } }) => {
    const { client, owner } = server
    await owner.query('TRUNCATE project, task')
    await owner.query("INSERT INTO project VALUES ($1, gen_random_uuid(), 'P')", [tenants[0]])
    // The claims of the previous transaction on the connection are gone.
    expect(await runAs(client, JSON.stringify(users[1]), 'SELECT name FROM project')).toEqual(['P'])
    const outcome = await runAs(client, claims, 'SELECT name FROM project')
    expect(Array.isArray(outcome) ? outcome : outcome.slice(0, 2)).toSatisfy(
      (found: Outcome) => found === '22' || found.length === 0,
    )
    expect(await runAs(client, claims, 'UPDATE project SET name = $1 RETURNING name', ['Q'])).not.toContain(
      'Q',
    )
  })

  it('gives no rights to the role of the backend itself', async ({ server }) => {
    await expect(server.client.query('SELECT * FROM project')).rejects.toMatchObject({ code: denied })
  })

  it('returns the user of the token', async ({ server, users: { users } }) => {
    const claims = JSON.stringify(users[1])
    expect(await runAs(server.client, claims, 'SELECT token.user_id()')).toEqual([users[1]?.sub])
    expect(await runAs(server.client, undefined, 'SELECT token.user_id()')).toEqual([''])
    // Of a tenant only, it shows the member, and not the user outside the tenant.
    const ofTenant = JSON.stringify({ ...users[1], account: false })
    expect(await runAs(server.client, ofTenant, 'SELECT token.user_id()')).toEqual([''])
    expect(await runAs(server.client, ofTenant, 'SELECT token.member_id()')).toEqual([users[1]?.sub])
  })
})

it('the code of docs/rls.md limits statements to the tenants of a token', async ({
  server,
  origin,
  clock,
  database,
  users: { tenants },
  onTestFinished,
}) => {
  clock.now = Date.now()
  const folder = await mkdtemp(resolve('node_modules', '.usher-rls-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [snippet] = (await snippetsOf('docs/rls.md')).filter(({ language }) => language === 'ts')
  const { outputFiles } = await build({
    stdin: {
      contents: `${snippet?.code}\nexport const close = () => pool.end()`
        .replaceAll('http://localhost:3000', origin)
        .replace("workspace: 'demo'", `workspace: '${database.workspaceSlug}'`)
        .replace("database: 'app'", `database: '${database.databaseName}'`)
        .replace('postgresql://authenticator@localhost/app', server.url),
      loader: 'ts',
      resolveDir: resolve('test/verify'),
    },
    bundle: true,
    external: ['pg'],
    conditions: ['@usher/source'],
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const file = join(folder, 'rls.mjs')
  await writeFile(file, outputFiles[0]?.contents ?? '')
  const { asUser, close } = await import(/* @vite-ignore */ file)
  const ada = await database.signedUp({ newTenant: 'Engines' })
  const grace = await database.signedUp({ newTenant: 'Compilers' })
  await server.owner.query('TRUNCATE project, task')
  for (const tenant of [...ada.tenants, ...grace.tenants, tenants[0]]) {
    await server.owner.query('INSERT INTO project VALUES ($1, gen_random_uuid(), $2)', [tenant, tenant])
  }
  const namesOf = async (token: string) =>
    asUser(token, async (client: pg.PoolClient) => {
      const { rows } = await client.query('SELECT name FROM project')
      return rows.map(({ name }) => name)
    })
  expect(await namesOf(ada.token.jwt)).toEqual(ada.tenants)
  expect(await namesOf(grace.token.jwt)).toEqual(grace.tenants)
  await expect(namesOf('a.b.c')).rejects.toThrow('The access token is invalid')
  await close()
})
