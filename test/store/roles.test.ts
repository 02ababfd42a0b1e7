import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { startApp } from '../support/app.js'
import { runUsher } from '../support/command-line.js'
import type { OpenStore } from '../support/open-store.js'
import { openPostgres } from '../support/open-store.js'
import { databaseUrl } from '../support/postgres-server.js'

const masterKey = Buffer.alloc(32, 7)
const guide = await readFile(new URL('../../docs/operation.md', import.meta.url), 'utf8')
const [, section = ''] = guide.split('## Separate roles for migrations and for serving\n')
/** Makes roles and database unique on a shared Postgres server. */
const suffix = `_${process.pid}`
const rename = (sql: string) => sql.replace(/\busher_(owner|server)\b|(?<=DATABASE )usher\b/g, `$&${suffix}`)
const [onServer = '', asOwner = '', afterMigration = '', onExistingTables = ''] = [
  ...(section.split('\n## ')[0] ?? '').matchAll(/```sql\n(.*?)```/gs),
].map(([, sql = '']) => rename(sql))

const url = inject('postgresUrl')
const openAs = (role: string) => openPostgres(addressAs(role), masterKey)
const admin = await openPostgres(url, masterKey)
let owner: OpenStore
let server: OpenStore

function addressAs(role: string) {
  const address = new URL(databaseUrl(url, `usher${suffix}`))
  address.username = `${role}${suffix}`
  return address.href
}

async function run({ prisma }: OpenStore, sql: string) {
  for (const statement of sql.split(';\n').filter(Boolean)) await prisma.$executeRawUnsafe(statement)
}

const usher = (role: string, command: string, env: Record<string, string> = {}) =>
  runUsher(command.split(' '), {
    ...cheapHashes,
    DATABASE_URL: addressAs(role),
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: '',
    ...env,
  })

beforeAll(async () => {
  await run(admin, onServer)
  owner = await openAs('usher_owner')
  server = await openAs('usher_server')
  await run(owner, asOwner)
  expect((await usher('usher_owner', 'migrate')).code).toBe(0)
  await run(owner, afterMigration)
})
afterAll(async () => {
  await owner.close()
  await server.close()
  await run(admin, rename('DROP DATABASE usher WITH (FORCE);\nDROP ROLE usher_owner, usher_server'))
  await admin.close()
})

it('serve and commands work with a role that can only read and write rows', async () => {
  const app = await startApp(server)
  const database = await app.newDatabase()
  const { id, token } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
  expect((await database.me(token.jwt)).json().id).toBe(id)
  expect((await database.login({ email: 'ada@example.com', password: 'wrong password' })).statusCode).toBe(
    401,
  )
  const path = `${database.workspaceSlug}/${database.databaseName}`
  for (const command of [
    `user disable ${path} ada@example.com`,
    `keys rotate ${path}`,
    `database set ${path} --password-policy nist`,
    `database delete ${path} --yes`,
    'keys rewrap',
  ]) {
    const env = { USHER_NEW_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') }
    const { code, stderr } = await usher('usher_server', command, command === 'keys rewrap' ? env : {})
    expect({ command, code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^(\{.*\}\n)*$/),
    })
  }
  await app.close()
})

it.each([
  'CREATE TABLE usher.mine (id INT)',
  'CREATE TABLE public.mine (id INT)',
  'CREATE SCHEMA mine',
  'DROP TABLE usher."user"',
  'ALTER TABLE usher."user" ADD COLUMN mine INT',
  'TRUNCATE usher."user"',
  'DELETE FROM usher._prisma_migrations',
])('the server role cannot run: %s', async (statement) => {
  await expect(server.query(statement, [])).rejects.toMatchObject({ code: '42501' })
})

it('the server role gets privileges on the tables of later migrations', async () => {
  await run(owner, 'CREATE TABLE usher.later (id INT)')
  await server.query('INSERT INTO usher.later VALUES (1)', [])
  expect(await server.query('DELETE FROM usher.later RETURNING id', [])).toEqual([{ id: 1 }])
  await run(owner, 'DROP TABLE usher.later')
})

it('the privileges of the server role can be granted on existing tables', async () => {
  await run(owner, rename('REVOKE ALL ON ALL TABLES IN SCHEMA usher FROM usher_server'))
  expect((await usher('usher_server', 'database list')).code).toBe(1)
  await run(owner, onExistingTables)
  expect((await usher('usher_server', 'database list')).code).toBe(0)
})

it('migrate succeeds with the server role if nothing is pending, and fails otherwise', async () => {
  const nothing = await usher('usher_server', 'migrate')
  expect(nothing).toMatchObject({ code: 0, stdout: 'The store is up to date.\n' })
  await run(owner, 'UPDATE usher._prisma_migrations SET rolled_back_at = now()')
  const { code, stderr } = await usher('usher_server', 'migrate')
  await run(owner, 'UPDATE usher._prisma_migrations SET rolled_back_at = NULL')
  expect(code).toBe(1)
  expect(stderr).toContain('permission denied')
})
