import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { startApp, validUser } from '../support/app.js'
import { startUsher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { startOwnPostgres } from '../support/own-postgres.js'
import { freePort, type PostgresServer, user } from '../support/postgres-server.js'
import { newAuthority } from './certificate.js'

const masterKey = Buffer.alloc(32, 7)
let folder: string
/** Has a certificate for the host `localhost`. */
let server: PostgresServer
/** Files with the certificate of its authority, that of another authority, and no valid certificate. */
let trusted: string
let foreign: string
let damaged: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-tls-'))
  await chmod(folder, 0o755)
  const authority = newAuthority()
  const { certificate, privateKey } = authority.issue('localhost')
  server = await startOwnPostgres({
    ssl: 'on',
    ssl_cert_file: await writeForPostgres('server.crt', certificate),
    ssl_key_file: await writeForPostgres('server.key', privateKey),
  })
  trusted = await writeForPostgres('trusted.crt', authority.certificate)
  foreign = await writeForPostgres('foreign.crt', newAuthority().certificate)
  damaged = await writeForPostgres('damaged.crt', 'no certificate')
  const store = await openPostgres(server.url, masterKey)
  await migrate(store)
  await store.close()
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

async function writeForPostgres(name: string, content: string) {
  const file = join(folder, name)
  await writeFile(file, content, { mode: 0o600 })
  if (user.uid) await chown(file, user.uid, user.gid)
  return file
}

function addressOf({ url }: PostgresServer, query: string, host = 'localhost') {
  const address = new URL(url)
  address.hostname = host
  address.search = query
  return address.href
}

const open = (query: string, host?: string) => openPostgres(addressOf(server, query, host), masterKey)

const envOf = (DATABASE_URL: string) => ({
  DATABASE_URL,
  USHER_MASTER_KEY: masterKey.toString('base64'),
  BASE_URL: '',
})

it.each([
  ['verify-full', true],
  ['disable', false],
])('sslmode=%s sets encryption of the connection to %s', async (mode, isEncrypted) => {
  const store = await open(`sslmode=${mode}&sslrootcert=${trusted}`)
  const rows = await store.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [])
  expect(rows).toEqual([{ ssl: isEncrypted }])
  await store.close()
})

it('requests work with sslmode=verify-full', async () => {
  const store = await open(`sslmode=verify-full&sslrootcert=${trusted}`)
  const app = await startApp(store)
  const database = await app.newDatabase()
  await database.signedUp()
  await app.close()
  await store.close()
})

it.each([
  [
    'of another authority',
    () => addressOf(server, `sslmode=verify-full&sslrootcert=${foreign}`),
    'certificate signature failure',
  ],
  [
    'of an authority that Node does not know',
    () => addressOf(server, 'sslmode=verify-full'),
    'unable to verify the first certificate',
  ],
  [
    'for another host name',
    () => addressOf(server, `sslmode=verify-full&sslrootcert=${trusted}`, '127.0.0.1'),
    "does not match certificate's altnames",
  ],
])('commands reject a certificate %s', async (_case, address, reason) => {
  const env = envOf(address())
  for (const command of [['database', 'list'], ['migrate']])
    expectCertificateError(await runUsher(command, env), reason)
})

it('serve rejects a certificate of another authority', async () => {
  const env = envOf(addressOf(server, `sslmode=verify-full&sslrootcert=${foreign}`))
  expectCertificateError(await runUsher(['serve', '--workers', '1'], env), 'certificate signature failure')
})

interface Outcome {
  code: unknown
  stdout: string
  stderr: string
}

function expectCertificateError({ code, stdout, stderr }: Outcome, reason: string) {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^usher: TLS to Postgres failed: /)
  expect(stderr).toContain(reason)
  expect(stderr).toContain('Check host, sslmode and sslrootcert in DATABASE_URL')
}

it('the error message says that the server has no TLS', async () => {
  const withoutTls = createServer((socket) =>
    socket.once('data', () => socket.end('N')).on('error', () => undefined),
  )
  await once(withoutTls.listen(0, '127.0.0.1'), 'listening')
  const { port } = withoutTls.address() as AddressInfo
  const { code, stderr } = await runUsher(
    ['database', 'list'],
    envOf(`postgresql://postgres@127.0.0.1:${port}/postgres?sslmode=verify-full`),
  )
  withoutTls.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(/^usher: TLS to Postgres failed: The server does not support SSL connections\. /)
})

it.each([
  ['sslrootcert', () => join(folder, 'missing.crt')],
  ['sslcert', () => damaged],
  ['sslkey', () => damaged],
])('the error message names DATABASE_URL if %s is missing or invalid', async (name, file) => {
  const { code, stderr } = await runUsher(
    ['database', 'list'],
    envOf(addressOf(server, `sslmode=verify-full&${name}=${file()}`)),
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/^usher: DATABASE_URL names a certificate or key that cannot be used: /)
})

it('requests return 503 while the certificate of the store is rejected', async () => {
  const store = await open(`sslmode=verify-full&sslrootcert=${foreign}`)
  const app = await startApp(store)
  const response = await app.client('acme', 'app').createUser(validUser())
  expect([response.statusCode, response.json().code]).toEqual([503, 'unavailable'])
  await app.close()
  await store.close()
})

it('serve with two workers warns once if the store is on another machine without TLS', async () => {
  const env = {
    ...envOf(`postgresql://postgres@0.0.0.0:${await freePort()}/postgres`),
    WORKERS: '2',
    PORT: String(await freePort()),
  }
  const server = startUsher(['serve'], env)
  await server.printed('returning 503 until it is reachable')
  server.signal('SIGTERM')
  const { stdout } = await server.ended
  expect(stdout.match(/DATABASE_URL names another machine without TLS/g)).toHaveLength(1)
})
