import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readList } from '../../server/domain/numbered-lists/read-list.js'
import { migrate, pendingMigrations } from '../../server/store/migrate.js'
import { revocations as revocationList } from '../../server/store/queries/numbered-lists.js'
import { password, startApp } from '../support/app.js'
import { startChild, startUsher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { findInstalledPostgres } from '../support/installed-postgres.js'
import { openPostgres } from '../support/open-store.js'
import { retireKey, rotateKeys } from '../support/operator-changes.js'
import {
  createCluster,
  databaseUrl,
  freePort,
  type PostgresServer,
  startPostgres,
} from '../support/postgres-server.js'
import { createDataFolder } from '../support/store.js'

const doc = await readFile(new URL('../../docs/operation.md', import.meta.url), 'utf8')
const commandsWith = (text: string) => {
  const found = [...doc.matchAll(/^```sh\n(.*?)^```$/gms)].find(([, commands]) =>
    commands?.includes(text),
  )?.[1]
  if (!found) throw new Error(`no commands with ${text}`)
  return found
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-backup-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ada = { email: 'ada@example.com', password }
const bin = findInstalledPostgres()
if (!bin) process.stderr.write('No installed PostgreSQL with pg_dump: its backup is not tested.\n')

describe.skipIf(!bin)('backup of a Postgres store', () => {
  const masterKey = Buffer.alloc(32, 7)
  let server: PostgresServer
  beforeAll(async () => {
    const cluster = await mkdtemp(join(tmpdir(), 'usher-cluster-'))
    server = await startPostgres({}, undefined, await createCluster(cluster, bin))
    await rm(cluster, { recursive: true })
  })
  afterAll(() => server.stop())
  const open = (url: string) => openPostgres(url, masterKey)

  const usherBin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))
  const npx = `npx() { shift; "${process.execPath}" "${usherBin}" "$@"; }`

  /** Runs commands of the document. Returns their output. */
  async function run(text: string, env: Record<string, string>) {
    const script = `cd "${folder}"; PATH="${bin}:$PATH"; ${npx}; ${commandsWith(text)}`
    const settings = { ...env, USHER_MASTER_KEY: masterKey.toString('base64'), LOG_LEVEL: 'silent' }
    const { code, stdout, stderr } = await startChild('sh', ['-ec', script], settings).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }

  /** Creates databases of the server, and returns their URLs. */
  async function create(...names: string[]) {
    const admin = await open(server.url)
    for (const name of names)
      await admin.prisma.$executeRawUnsafe(`CREATE DATABASE ${name} TEMPLATE template0`)
    await admin.close()
    return names.map((name) => databaseUrl(server.url, name)) as [string, string]
  }

  it('pg_dump and pg_restore of docs/operation.md restore users, tenants, tokens and settings', async () => {
    const [DATABASE_URL, RESTORED_URL] = await create('usher', 'restored')
    const store = await open(DATABASE_URL)
    await migrate(store)
    const usher = await startApp(store)
    const database = await usher.newDatabase('nist')
    const { token, ...before } = await database.signedUp({ ...ada, newTenant: 'Engines' })
    const [refreshed, ended] = [await database.opened(), await database.opened()]
    // As a backend that follows revocations does.
    await readList(
      store,
      { list: revocationList, databaseId: database.id },
      { after: undefined, limit: 1000 },
    )
    await run('pg_dump', { DATABASE_URL })
    await database.signedUp({ email: 'later@example.com' })
    const refresh = await database.refresh(refreshed.refreshToken.value)
    await database.endSession(ended.refreshToken.value)
    const revocations = { list: revocationList, databaseId: database.id }
    const { next: lost } = await readList(store, revocations, { after: undefined, limit: 1000 })
    expect(lost).toMatchObject({ seq: 1, stamp: expect.any(String) })
    const operation = { store, now: new Date(usher.clock.now) }
    const [key] = await store.prisma.signingKey.findMany({ where: { databaseId: database.id } })
    await rotateKeys(operation, database, 0)
    await retireKey(operation, database, String(key?.kid))
    await usher.close()
    await store.close()
    await run('pg_restore', { RESTORED_URL })
    expect(await run('RESTORED_URL"\nnpx', { RESTORED_URL })).toContain('The store is up to date.\n')

    const restored = await open(RESTORED_URL)
    expect(await pendingMigrations(restored)).toEqual([])
    const again = await startApp(restored)
    const client = again.client(database.workspaceSlug, database.databaseName)
    expect((await client.login(ada)).json()).toMatchObject(before)
    expect((await client.me(token.jwt)).json()).toMatchObject(before)
    expect((await client.login({ email: 'later@example.com', password })).statusCode).toBe(401)
    await client.signedUp({ email: 'later@example.com', newTenant: 'Engines' })
    expect((await client.refresh(refresh.json().refreshToken.value)).json().code).toBe('session_ended')
    const reopened = await client.refresh(ended.refreshToken.value)
    expect(reopened.statusCode).toBe(200)
    // A new revocation gets the number of the lost one, whose cursor expires without a command.
    await client.endSession(reopened.json().refreshToken.value)
    expect(await readList(restored, revocations, { after: undefined, limit: 1000 })).toMatchObject({
      next: { lineage: lost.lineage, seq: lost.seq },
    })
    await expect(readList(restored, revocations, { after: lost, limit: 1000 })).rejects.toMatchObject({
      code: 'cursor_expired',
    })
    await again.close()
    await restored.close()

    const list = (key: Buffer) =>
      runUsher(['database', 'list', '--json'], {
        DATABASE_URL: RESTORED_URL,
        USHER_MASTER_KEY: key.toString('base64'),
        BASE_URL: '',
      })
    expect(JSON.parse((await list(masterKey)).stdout).databases).toMatchObject([{ id: database.id }])
    expect((await list(Buffer.alloc(32, 8))).stderr).toContain(
      'USHER_MASTER_KEY cannot decrypt the signing keys',
    )
  })
})

describe('backup of the embedded store', () => {
  const headers = { 'content-type': 'application/json' }

  /** Starts a server on a data folder, calls `use` and stops the server. */
  async function withServer(
    dataDir: string,
    use: (post: (path: string, body: object) => Promise<Response>) => Promise<void>,
  ) {
    const port = String(await freePort())
    const server = startUsher(['serve'], { DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'info' })
    await server.printed('Server listening')
    const users = `http://localhost:${port}/workspaces/demo/databases/app/users`
    await use((path, body) => fetch(users + path, { method: 'POST', headers, body: JSON.stringify(body) }))
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  }

  it('a copy of the embedded store, made as in docs/operation.md, restores users and tenants', async () => {
    const DATA_DIR = await createDataFolder()
    await withServer(DATA_DIR, async (post) => {
      expect((await post('', { ...ada, newTenant: 'Engines' })).status).toBe(201)
    })
    const script = `cd "${folder}"; ${commandsWith('cp -a')}`
    expect(await startChild('sh', ['-ec', script], { DATA_DIR }).ended).toMatchObject({ code: 0, stderr: '' })
    await withServer(DATA_DIR, async (post) => {
      expect((await post('', { ...ada, email: 'later@example.com' })).status).toBe(201)
    })
    await rm(DATA_DIR, { recursive: true })
    await withServer(join(folder, 'usher-backup'), async (post) => {
      const login = await post('/login', ada)
      expect(login.status).toBe(200)
      expect((await login.json()).tenants).toHaveLength(1)
      expect((await post('/login', { ...ada, email: 'later@example.com' })).status).toBe(401)
    })
  })
})
