import { connect } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { type Child, startUsher, usher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import type { OpenStore } from '../support/open-store.js'
import { freePort } from '../support/postgres-server.js'
import { it as servedStoreTest } from '../support/served-store.js'
import { createPostgresDatabase } from '../support/store.js'

const users = '/workspaces/demo/databases/app/users'

interface Line {
  msg: string
  pid: number
  worker?: number
  milliseconds?: number
}

const linesOf = ({ output }: Child): Line[] =>
  output.stdout.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []))

/** Returns the pids that have started to listen, oldest first. */
const workersOf = (server: Child) => [
  ...new Set(linesOf(server).flatMap(({ msg, pid }) => (msg.startsWith('Server listening') ? [pid] : []))),
]

/** Starts a server and waits until all its workers listen. */
async function startWorkers(env: Record<string, string>) {
  const port = await freePort()
  const server = startUsher(['serve', '--workers', '2'], { ...env, PORT: String(port) })
  const listening = (all: number) =>
    vi.waitFor(() => expect(workersOf(server)).toHaveLength(all), { timeout: 50_000 })
  await listening(2)
  /** Uses a new connection, so that the next request may reach another worker. */
  const send = (path: string, body?: object) =>
    fetch(`http://localhost:${port}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { connection: 'close', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(15_000),
    })
  return { ...server, port, send, listening }
}

/** A server for the tests that leave it with two workers. The last of them kills it. */
const it = servedStoreTest.extend('server', { scope: 'file' }, async ({ env }) => {
  const managementPort = await freePort()
  const settings = { ...env, STORE_CONNECTIONS: '5', MANAGEMENT_PORT: String(managementPort), CONSOLE: 'on' }
  return { ...(await startWorkers(settings)), managementPort }
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('serve --workers', () => {
  it('all workers serve one port, and their log lines contain the worker number', async ({ server }) => {
    const email = 'ada@example.com'
    expect((await server.send(users, { email, password })).status).toBe(201)
    for (let i = 0; i < 12; i++) {
      expect((await server.send(`${users}/login`, { email, password })).status).toBe(200)
    }
    const answered = () => linesOf(server).filter(({ msg }) => msg === 'answered')
    await vi.waitFor(() => expect(answered()).toHaveLength(13))
    expect(new Set(answered().map(({ worker }) => worker))).toEqual(new Set([1, 2]))
  })

  it('all workers serve MANAGEMENT_PORT, and only that port serves the management API', async ({
    server,
  }) => {
    const get = async (port: number) =>
      (
        await fetch(`http://localhost:${port}/management/openapi.json`, {
          headers: { connection: 'close' },
        })
      ).status
    const both = async () => [await get(server.port), await get(server.managementPort)]
    await vi.waitFor(async () => expect(await both()).toEqual([404, 200]), { timeout: 5_000 })
    const answeredBy = () =>
      new Set(
        linesOf(server).flatMap((line) =>
          'route' in line && line.route === '/management/openapi.json' ? [line.pid] : [],
        ),
      )
    await vi.waitFor(
      async () => {
        await get(server.managementPort)
        expect(answeredBy().size).toBe(2)
      },
      { timeout: 5_000 },
    )
  })

  it('all workers together open at most STORE_CONNECTIONS connections', async ({ store, server }) => {
    const statuses: number[] = []
    const counts: number[] = []
    const traffic = Promise.all(
      Array.from({ length: 60 }, async () => statuses.push((await server.send('/readyz')).status)),
    )
    let isOver = false
    const watch = (async () => {
      while (!isOver) counts.push(await connectionsOf(store))
    })()
    await traffic
    isOver = true
    await watch
    expect(statuses).toEqual(Array(60).fill(200))
    expect(Math.max(...counts)).toBeLessThanOrEqual(5)
    expect(await connectionsOf(store)).toBeGreaterThan(2)
  })

  it('the workers report as one server', async ({ store, server }) => {
    const reported = async () =>
      expect(await store.prisma.serverStatus.findMany()).toMatchObject([
        { name: `${hostname()}:${server.port}`, status: { waiting: { mail: { count: 0 } } } },
      ])
    await vi.waitFor(reported, { timeout: 5_000 })
  })

  // The delay begins with the first worker that exits.
  it('a killed worker is replaced after an increasing delay while the others serve', async ({ server }) => {
    let isOver = false
    const failed: unknown[] = []
    let served = 0
    async function load() {
      while (!isOver) {
        const status = await server.send('/readyz').then(({ status }) => status, String)
        if (status === 200) served += 1
        else failed.push(status)
        // Leaves the processor to the workers that start.
        await pause(5)
      }
    }
    const clients = [load(), load()]
    for (let kill = 0; kill < 2; kill++) {
      const before = served
      process.kill(workersOf(server)[kill === 0 ? 1 : kill + 1] ?? 0, 'SIGKILL')
      await server.listening(3 + kill)
      await vi.waitFor(() => expect(served).toBeGreaterThan(before + 20), { timeout: 10_000 })
    }
    isOver = true
    await Promise.all(clients)
    // At most the requests in flight on the killed workers.
    expect(failed.length).toBeLessThanOrEqual(4)
    const waits = linesOf(server).flatMap(({ milliseconds, msg }) =>
      msg === 'a worker exited; starting another' ? [milliseconds] : [],
    )
    expect(waits).toEqual([100, 200])
  })

  it('a connection is closed if its worker is killed before it accepts it', async ({ server }) => {
    const { length } = workersOf(server)
    const [stopped = 0] = workersOf(server).filter(isAlive)
    process.kill(stopped, 'SIGSTOP')
    let answered = 0
    const sent = Array.from({ length: 8 }, async () => {
      await server.send('/healthz')
      answered += 1
    })
    const settled = Promise.allSettled(sent)
    await vi.waitFor(() => expect(answered).toBe(7))
    process.kill(stopped, 'SIGKILL')
    const reasons = (await settled).flatMap((each) => (each.status === 'rejected' ? [each.reason.name] : []))
    expect(reasons).toEqual(['TypeError'])
    await server.listening(length + 1)
  })

  it('SIGTERM to one worker drains it and starts another', async ({ server }) => {
    const { length } = workersOf(server)
    const [drained = 0] = workersOf(server).filter(isAlive)
    process.kill(drained, 'SIGTERM')
    await server.listening(length + 1)
    expect(isAlive(drained)).toBe(false)
  })

  it('workers exit and free the port when the primary process is killed', async ({ server }) => {
    server.signal('SIGKILL')
    await server.ended
    await vi.waitFor(() => expect(workersOf(server).filter(isAlive)).toEqual([]), { timeout: 10_000 })
    await expect(server.send('/healthz')).rejects.toThrow()
  })
})

/** Counts connections of servers, without the one of this test. */
async function connectionsOf({ prisma }: OpenStore) {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int - 1 AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'usher'`
  return row?.count ?? 0
}

describe('signals', () => {
  const body = JSON.stringify({ email: 'late@example.com', password })

  /** Starts a sign-up of which a worker has read only the headers. */
  async function startSignUp(port: number) {
    const socket = connect(port, 'localhost').setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const received = (part: string) => vi.waitFor(() => expect(text).toContain(part), { timeout: 10_000 })
    socket.write(
      `POST ${users} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n`,
    )
    await received('100 Continue')
    return { finish: () => socket.write(body), received }
  }

  it('SIGINT to all processes, as from a terminal, completes requests in flight, and deletes the status', async ({
    store,
    env,
  }) => {
    const server = await startWorkers(env)
    const where = { name: { endsWith: `:${server.port}` } }
    const reported = () => store.prisma.serverStatus.count({ where })
    await vi.waitFor(async () => expect(await reported()).toBe(1), { timeout: 5_000 })
    const signUp = await startSignUp(server.port)
    for (const pid of [server.child.pid ?? 0, ...workersOf(server)]) process.kill(pid, 'SIGINT')
    await vi.waitFor(() => expect(server.send('/healthz')).rejects.toThrow())
    signUp.finish()
    await signUp.received('HTTP/1.1 201 Created')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(workersOf(server).filter(isAlive)).toEqual([])
    expect(await reported()).toBe(0)
  })

  it('a second SIGTERM ends all processes immediately', async ({ env }) => {
    const server = await startWorkers(env)
    await startSignUp(server.port)
    server.signal('SIGTERM')
    await vi.waitFor(() => expect(linesOf(server).some(({ msg }) => msg === 'draining')).toBe(true))
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 1 })
    await vi.waitFor(() => expect(workersOf(server).filter(isAlive)).toEqual([]), { timeout: 5_000 })
  })
})

describe('start-up errors', () => {
  it('several workers report an unusable store once, with the message and exit code of one process', async ({
    env,
  }) => {
    const bare = await createPostgresDatabase('template0')
    const settings = { ...env, DATABASE_URL: bare.url, PORT: String(await freePort()) }
    const { code, stdout, stderr } = await runUsher(['serve', '--workers', '1'], settings)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^usher: .*\n$/) })
    expect(await usher(['serve', '--workers', '2'], settings)).toMatchObject({ code, stdout, stderr })
    await bare.drop()
  })

  it.for([
    [{ WORKERS: '2', DATABASE_URL: '' }, [], 'WORKERS must be 1 if DATABASE_URL is not set'],
    [{ DATABASE_URL: '' }, ['--workers', '2'], 'WORKERS must be 1 if DATABASE_URL is not set'],
    [{ WORKERS: '2' }, ['--workers', '0'], 'WORKERS must be a whole number from 1 to 256'],
  ] as const)(
    'invalid settings %o or arguments %o exit 2 with the reason',
    async ([more, args, reason], { env }) => {
      const ended = await runUsher(['serve', ...args], { ...env, ...more })
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) })
    },
  )
})
