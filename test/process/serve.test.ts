import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { startChild, startUsher } from '../support/child.js'
import { createDatabase } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { freePort } from '../support/postgres-server.js'
import { createPostgresDatabase } from '../support/store.js'

const has = (command: string) => spawnSync(command, ['--version']).status === 0
const json = { 'content-type': 'application/json' }

/** Starts a server and waits until it listens. `users` is the URL of the users of its first database. */
async function startServer(env: Record<string, string>) {
  const port = await freePort()
  const server = startUsher(['serve'], { ...cheapHashes, ...env, PORT: String(port) })
  // A first start creates the store.
  await server.printed('Server listening')
  return { ...server, port, users: `http://localhost:${port}/workspaces/demo/databases/app/users` }
}

let scratch: string
/** Created by the first test that starts a server. */
let DATA_DIR: string
/** The user that its commands sign up. */
let ada: { id?: string } = {}
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'usher-serve-'))
  DATA_DIR = join(scratch, 'made', 'by', 'usher')
})
afterAll(() => rm(scratch, { recursive: true }))

/** Settings for tests that need no store. */
const unreachableStore = async () => ({
  DATABASE_URL: `postgresql://postgres@127.0.0.1:${await freePort()}/usher`,
  USHER_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  WORKERS: '1',
})

describe('first start in an empty folder', () => {
  it('a command that is killed while it creates the store prints nothing', async () => {
    const killed = startUsher(['workspace', 'create', 'acme'], { DATA_DIR })
    // PGlite considers its files complete once this one exists, but writes five more after it.
    // The next test starts a server on the same folder.
    const mark = join(DATA_DIR, 'store', 'PG_VERSION')
    while (!existsSync(mark) && killed.child.exitCode === null) await pause(1)
    killed.signal('SIGKILL')
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL', stdout: '', stderr: '' })
  })

  it.skipIf(!has('curl'))(
    'the startup banner prints three working curl commands, and other users cannot read the data',
    async () => {
      const first = await startServer({ DATA_DIR })
      const lines = await bannerCommandsOf(first)
      expect(first.output.stderr).toContain(`Usher is listening on http://localhost:${first.port}.`)
      const [, reference = ''] = /^API reference +(\S+)$/m.exec(first.output.stderr) ?? []
      expect(await (await fetch(reference)).text()).toContain('<title>Usher API</title>')
      const [signedUp, loggedIn, me] = [await paste(lines[0]), await paste(lines[1]), await paste(lines[2])]
      expect(signedUp).toMatchObject({ id: expect.any(String), tenants: [] })
      expect(loggedIn).toMatchObject({ id: signedUp.id, token: { type: 'ACCESS_TOKEN' } })
      expect(me).toMatchObject({ id: signedUp.id, email: 'ada@example.com' })
      ada = signedUp
      first.signal('SIGINT')
      const { code, stdout } = await first.ended
      expect(code).toBe(0)
      for (const line of stdout.trim().split('\n')) {
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) })
      }

      expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700)
      const files = await readdir(DATA_DIR, { recursive: true, withFileTypes: true })
      const open: string[] = []
      for (const file of files.filter((each) => each.isFile())) {
        const path = join(file.parentPath, file.name)
        if ((await stat(path)).mode & 0o077) open.push(path)
      }
      expect(open).toEqual([])
    },
  )

  async function bannerCommandsOf({ printed, output }: Awaited<ReturnType<typeof startServer>>) {
    await printed('/me -H')
    const lines = output.stderr.split('\n').filter((line) => line.startsWith('curl '))
    expect(lines).toHaveLength(3)
    return lines
  }

  async function paste(line = '') {
    const { stdout } = await startChild('sh', ['-c', line]).ended
    return JSON.parse(stdout)
  }
})

describe('SIGTERM', () => {
  function openConnection(port: number) {
    const socket = connect(port, 'localhost').setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const closed = once(socket, 'close')
    const received = (part: string) => vi.waitFor(() => expect(text).toContain(part), { timeout: 10_000 })
    return { send: (part: string) => socket.write(part), received, closed }
  }

  const body = JSON.stringify({ email: 'late@example.com', password: 'correct horse battery' })

  /** Starts a sign-up of which the server has read only the headers. */
  async function startSignUp(port: number) {
    const connection = openConnection(port)
    connection.send(
      `POST /workspaces/demo/databases/app/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n`,
    )
    await connection.received('100 Continue')
    return connection
  }

  /** Opens a keep-alive connection that has received one response. */
  async function startIdle(port: number) {
    const connection = openConnection(port)
    connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await connection.received('{"status":"ok"}')
    return connection
  }

  it('a restart keeps the data, and SIGTERM closes idle connections, accepts no new ones, completes requests in flight and exits 0', async () => {
    const server = await startServer({ DATA_DIR })
    const credentials = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' })
    const login = await fetch(`${server.users}/login`, { method: 'POST', headers: json, body: credentials })
    expect((await login.json()).id).toBe(ada.id)
    const [idle, signUp] = [await startIdle(server.port), await startSignUp(server.port)]
    server.signal('SIGTERM')
    await idle.closed
    await expect(fetch(`http://localhost:${server.port}/healthz`)).rejects.toThrow()

    signUp.send(body)
    await signUp.received('HTTP/1.1 201 Created')
    await signUp.received('connection: close')
    // A server that waits for its connections exits with 1 after 10 s.
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('SIGTERM with SHUTDOWN_DELAY_SECONDS keeps serving, but fails /readyz and sends Connection: close, and a second one ends the server', async () => {
    const server = await startServer({ DATA_DIR, SHUTDOWN_DELAY_SECONDS: '300' })
    server.signal('SIGTERM')
    await vi.waitFor(async () => {
      const readiness = await fetch(`http://localhost:${server.port}/readyz`)
      expect(readiness.status).toBe(503)
      expect(await readiness.json()).toMatchObject({ detail: 'The server is shutting down.' })
    }, 10_000)
    const body = JSON.stringify({ email: 'delay@example.com', password: 'correct horse battery' })
    const response = await fetch(server.users, { method: 'POST', headers: json, body })
    expect([response.status, response.headers.get('connection')]).toEqual([201, 'close'])
    expect((await fetch(`http://localhost:${server.port}/healthz`)).status).toBe(200)
    await startSignUp(server.port)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 1 })
  })

  const fileOf = (shell: string) => {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' })
    return status === 0 && realpathSync(stdout.trim())
  }
  // That of sh is tested in docs/readme.test.ts.
  it.each(['bash', 'dash'].filter((shell) => ![false, fileOf('sh')].includes(fileOf(shell))))(
    'SIGTERM to npm start drains the server and exits 0, with %s as script shell',
    async (shell) => {
      const env = { ...(await unreachableStore()), PORT: String(await freePort()), HOME: scratch }
      const npm = startChild('npm', ['start', `--script-shell=${shell}`], env)
      await npm.printed('Server listening')
      npm.signal('SIGTERM')
      const { code, signal, stdout } = await npm.ended
      expect({ code, signal }).toEqual({ code: 0, signal: null })
      expect(stdout).toContain('draining')
    },
  )
})

describe.skipIf(process.platform !== 'linux' || !has('script'))('on a terminal', () => {
  const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))

  it.concurrent.each([
    ['readable', '', /^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.* \((?<pid>\d+)\): .*Server listening/m],
    ['JSON with --json', '--json', /^\{"level":30,.*"pid":(?<pid>\d+),.*Server listening/m],
  ])('the log on a terminal is %s up to the last line', async (_format, flag, line) => {
    const env = { ...(await unreachableStore()), PORT: String(await freePort()) }
    const terminal = startChild(
      'script',
      ['-qec', `'${process.execPath}' '${bin}' serve ${flag}`, '/dev/null'],
      env,
    )
    await terminal.printed('Server listening')
    const pid = terminal.output.stdout.match(line)?.groups?.pid
    expect(pid, terminal.output.stdout).toBeDefined()
    process.kill(Number(pid), 'SIGTERM')
    expect(await terminal.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('draining') })
  })
})

it('no secret of settings or requests is logged, also when requests fail', async () => {
  const database = await createPostgresDatabase()
  const address = new URL(database.url)
  address.password = 'secret-of-the-store'
  const masterKey = Buffer.alloc(32, 'secret-of-the-keys')
  const env = { DATABASE_URL: address.href, USHER_MASTER_KEY: masterKey.toString('base64') }
  await createDatabase('demo', 'app', env)
  const server = await startServer({ ...env, LOG_LEVEL: 'trace' })
  const secrets = Object.values(env)
  const statuses: number[] = []

  async function send(method: string, path: string, sent: string | undefined, headers: object = json) {
    const response = await fetch(server.users + path, { method, headers: { ...headers }, body: sent ?? null })
    statuses.push(response.status)
    return response.text()
  }
  const user = (email: string, password: string) => {
    secrets.push(password)
    return JSON.stringify({ email, password })
  }
  const bearer = (token: string) => {
    secrets.push(token)
    return { authorization: `Bearer ${token}` }
  }

  const ada = user('ada@example.com', 'secret-of-ada')
  const { token } = JSON.parse(await send('POST', '', ada))
  await send('POST', '', ada)
  await send('POST', '', `${user('bob@example.com', 'secret-of-bob')} and more`)
  await send('POST', '', user('nobody', 'secret-of-nobody'))
  await send('POST', '', user('eve@example.com', 'secret-of-eve'.padEnd(20_000, '.')))
  await send('POST', '', user('carl@example.com', 'secret-of-carl'), { 'content-type': 'text/xml' })
  await send('PUT', '', user('dan@example.com', 'secret-of-dan'))
  await send('POST', '/login', ada)
  await send('POST', '/login', user('ada@example.com', 'secret-of-another'))
  await send('GET', '/me', undefined, bearer(token.jwt))
  await send('GET', '/me', undefined, bearer(`${token.jwt}x`))
  await send('GET', '/me', undefined, bearer('secret-that-is-no-token'))
  await send('GET', '/me?access_token=secret-in-a-query', undefined, {
    authorization: 'Basic secret-of-basic',
  })
  await send('GET', '/nowhere', undefined, bearer(token.jwt))
  const store = await openPostgres(database.url, masterKey)
  await store.prisma.$executeRaw`ALTER TABLE usher."user" RENAME TO gone`
  await store.close()
  await send('POST', '', user('fay@example.com', 'secret-of-fay'))
  await send('POST', '/login', ada)
  await send('GET', '/me', undefined, bearer(token.jwt))
  await database.drop()
  await send('POST', '/login', ada)
  server.signal('SIGTERM')
  const { stdout, stderr } = await server.ended

  expect(statuses.slice(0, -1)).toEqual([
    201, 409, 400, 400, 413, 415, 405, 200, 401, 200, 401, 401, 401, 404, 500, 500, 500,
  ])
  expect(statuses.at(-1)).toBeGreaterThanOrEqual(500)
  expect(stdout.match(/"answered"/g)).toHaveLength(statuses.length)
  secrets.push(...token.jwt.split('.'), 'secret-', 'Bearer')
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
})
