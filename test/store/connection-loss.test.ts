import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { hasState, isStoreUnavailable } from '../../server/store/errors.js'
import { startApp, validUser } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { type OpenStore, openPostgres } from '../support/open-store.js'
import { createPostgresDatabase } from '../support/store.js'

/** A message of the Postgres protocol: type, length, body. */
function message(type: string, body: Buffer) {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', Buffer.from('I'))
const terminated = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminated\0\0'))
/** As PgBouncer sends it, for example if no server connection was free for too long. */
const closedByPgBouncer = message('E', Buffer.from('SFATAL\0C08P01\0Mquery_wait_timeout\0\0'))

/** Starts a server that accepts each connection, and terminates it in the same segment. */
async function startTerminatingServer(error: Buffer) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(Buffer.concat([authenticated, ready, error])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `postgres://usher:secret@127.0.0.1:${(server.address() as AddressInfo).port}/usher`
}

it.for([
  ['Postgres', terminated],
  ['PgBouncer', closedByPgBouncer],
] as const)(
  'a connection that %s closes as soon as it is open fails its statement only',
  async ([, sent]) => {
    const reported: Error[] = []
    const store = await openPostgres(await startTerminatingServer(sent), Buffer.alloc(32), {
      onConnectionError: (error) => reported.push(error),
    })
    onTestFinished(store.close)
    const uncaught: unknown[] = []
    const note = (error: unknown) => uncaught.push(error)
    process.prependListener('uncaughtException', note)
    onTestFinished(() => void process.off('uncaughtException', note))
    for (let attempt = 0; attempt < 5; attempt++) {
      const error = await store.query('SELECT 1', []).catch((error: unknown) => error)
      expect(isStoreUnavailable(error)).toBe(true)
    }
    expect(uncaught).toEqual([])
    for (const error of reported) expect(error).not.toHaveProperty('client')
  },
)

it('a store that was read-only for a while gets new connections, and /readyz says so meanwhile', async () => {
  const { url, drop } = await createPostgresDatabase()
  const control = new Client(url)
  await control.connect()
  const name = new URL(url).pathname.slice(1)
  const app = await startApp(await openPostgres(url, Buffer.alloc(32)))
  const { createUser } = await app.newDatabase()
  onTestFinished(async () => {
    await app.close()
    await control.end()
    await drop()
  })
  const readyz = async () => (await app.send({ method: 'GET', url: '/readyz' })).json()
  const signUp = async () =>
    (await createUser(validUser({ email: `${randomUUID()}@example.com` }))).statusCode
  expect([await readyz(), await signUp()]).toEqual([{ status: 'ok' }, 201])
  // Sessions that are opened from now on stay read-only, as those to a former primary do.
  await control.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await control.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`)
  await expect.poll(readyz).toMatchObject({ code: 'unavailable', detail: 'The store is read-only.' })
  await Promise.all(Array.from({ length: 10 }, () => app.store.query('SELECT pg_sleep(0.1)', [])))
  expect(await signUp()).toBe(503)
  await control.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  // Each attempt replaces all connections, not only its own, at most once a second.
  await expect.poll(readyz, { interval: 300 }).toEqual({ status: 'ok' })
  const created = await Promise.all(Array.from({ length: 10 }, signUp))
  expect(created).toEqual(created.map(() => 201))
})

it('a transaction that a rule or a statement refuses writes nothing and keeps its connection', async () => {
  const { url, drop } = await createPostgresDatabase()
  const store = await openPostgres(url, Buffer.alloc(32), { connections: 1 })
  onTestFinished(() => store.close().then(drop))
  const process = async () => (await store.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', []))[0]
  const first = await process()
  const insert = `INSERT INTO usher.workspace (id, slug, created_at) VALUES ($1::uuid, $2, now())`
  const insertAnd = (refuse: (query: OpenStore['query']) => Promise<unknown>) =>
    store.transaction(randomUUID(), async (query) => {
      await query(insert, [randomUUID(), 'acme'])
      await refuse(query)
    })
  await expect(insertAnd(() => Promise.reject(new Error('refused by a rule')))).rejects.toThrow(/by a rule/)
  await expect(insertAnd((query) => query(insert, [randomUUID(), 'acme']))).rejects.toThrow(/duplicate key/)
  expect(await store.prisma.workspace.count()).toBe(0)
  expect(await process()).toEqual(first)
})

it('a transaction whose process is frozen releases its locks, and fails when the process goes on', async () => {
  const { url, drop } = await createPostgresDatabase()
  const open = (statementMilliseconds: number) =>
    openPostgres(url, Buffer.alloc(32), { connections: 1, statementMilliseconds })
  const [frozen, store] = await Promise.all([open(500), open(10_000)])
  onTestFinished(() => Promise.all([frozen.close(), store.close()]).then(drop))
  const insert = `INSERT INTO usher.workspace (id, slug, created_at) VALUES ($1::uuid, 'acme', now())`
  const [locked, end] = [newGate(), newGate()]
  const transaction = frozen
    .transaction(randomUUID(), async (query) => {
      await query(insert, [randomUUID()])
      locked.open()
      await end.opened
    })
    .catch((error: unknown) => error)
  await locked.opened
  // Waits for the other transaction, on the unique index.
  await store.query(insert, [randomUUID()])
  end.open()
  expect(isStoreUnavailable(await transaction)).toBe(true)
  expect(await store.prisma.workspace.count()).toBe(1)
})

it('a statement with a wrong number of parameters does not mean that the store is unavailable', async () => {
  const { url, drop } = await createPostgresDatabase()
  const store = await openPostgres(url, Buffer.alloc(32), { connections: 1 })
  onTestFinished(() => store.close().then(drop))
  for (const run of [
    () => store.query('SELECT $1::int', []),
    () => store.prisma.$queryRawUnsafe('SELECT $1::int'),
  ]) {
    const error = await run().catch((error: unknown) => error)
    expect(hasState(error, '08P01')).toBe(true)
    expect(isStoreUnavailable(error)).toBe(false)
  }
})

it('an error by which Postgres ends a transaction of a frozen process means that the store is unavailable', async () => {
  const error = Object.assign(new Error('terminating connection'), { severity: 'FATAL', code: '25P03' })
  expect(isStoreUnavailable(error)).toBe(true)
})
