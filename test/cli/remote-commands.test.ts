import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { ownProcess, printTo } from '../../server/cli/io/host.js'
import { runRemotely } from '../../server/cli/remote/run-remotely.js'
import { version } from '../../server/version.js'
import { exchange } from '../http/raw-http.js'
import { startApp } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { usher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { it, type RemoteOperator } from '../support/remote-commands.js'

const errorIn = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
const actionsOf = async ({ send }: Pick<RemoteOperator, 'send'>) =>
  (await send('GET', '/operator/actions')).json().actions

describe('a command of another machine', () => {
  it('is recorded and audited as that of its operator', async ({ usher, owner }) => {
    const created = await owner.run('tenant create acme/app Engines --json')
    expect(created.code, created.stderr).toBe(0)
    const { id: target } = JSON.parse(created.stdout)
    const action = { action: 'addTenant', workspace: 'acme', database: 'app', operatorId: owner.id }
    expect((await actionsOf(owner))[0]).toMatchObject({ ...action, target, outcome: 'done' })
    const audited = {
      audit: 'tenant.created',
      tenantId: target,
      operatorId: owner.id,
      operator: owner.id,
    }
    expect(created.audited).toMatchObject([audited])
    expect(created.audited[0]).not.toHaveProperty('hostname')
    expect(auditRecords(usher)).toContainEqual(expect.objectContaining(audited))

    const taken = await owner.run('workspace create acme --json')
    expect([taken.code, errorIn(taken.stderr).code]).toEqual([4, 'workspace_exists'])
    expect((await actionsOf(owner))[0]).toMatchObject({
      action: 'createWorkspace',
      outcome: 'workspace_exists',
    })
  })

  it('is run by the built command', async ({ owner, origin }) => {
    const built = await usher(['--server', origin, 'workspace', 'list'], owner.env)
    expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining('acme'), stderr: '' })
  })

  it('shows what the role may see, and is not recorded if it only reads', async ({ owner, support }) => {
    const users = '/workspaces/acme/databases/app/management/users'
    const ada = { email: 'ada@example.com', privateMetadata: { plan: 'secret plan' } }
    const { id } = (await owner.send('POST', users, ada)).json()
    const [before] = await actionsOf(owner)
    const shown = async (operator: RemoteOperator) =>
      JSON.parse((await operator.run('user show acme/app ada@example.com --json')).stdout)
    expect((await shown(owner)).privateMetadata).toEqual({ plan: 'secret plan' })
    expect((await shown(support)).privateMetadata).toBeNull()
    expect((await actionsOf(owner))[0]).toEqual(before)
    const disabled = await owner.run(`user disable acme/app ${id.toUpperCase()}`)
    expect(disabled.code, disabled.stderr).toBe(0)
    expect((await actionsOf(owner))[0]).toMatchObject({ target: id, fields: 'disabled: true' })
  })

  it('asks for a confirmation before it does anything, and then for what it asks for', async ({ owner }) => {
    await owner.run('user create acme/app bob@example.com --no-password')
    const show = async () => JSON.parse((await owner.run('user show acme/app bob@example.com --json')).stdout)
    const { id } = await show()
    const wrong = await owner.run('user set-email acme/app bob@example.com eve@example.com', [
      '000000',
      '000000',
      '000000',
    ])
    expect(`${wrong.code} ${wrong.stderr}`).toMatch(/^1 .*Code of your authenticator app: .*usher: /s)
    expect((await show()).id).toBe(id)
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'addUser' })

    const deleted = await owner.run('user delete acme/app bob@example.com', [
      owner.nextCode(),
      'bob@example.com',
    ])
    expect(`${deleted.code} ${deleted.stdout}${deleted.stderr}`).toMatch(
      /^0 Deleted user .*Code of your authenticator app: .*Type bob@example\.com to delete/s,
    )
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'removeUser', target: id, outcome: 'done' })
    const set = await owner.run('database set acme/app --app-url https://app.example.com', [owner.nextCode()])
    expect(set.stderr).toContain('Code of your')
    expect((await owner.run('database set acme/app --session-idle 7200')).code).toBe(0)
  })

  it('shows what it shows on the host, also a secret that is shown once', async ({ owner }) => {
    const reads = [
      'database show',
      'tenant list',
      'keys list',
      'api-key list',
      'connection list',
      'outbox list',
    ]
    for (const command of [...reads.map((each) => `${each} acme/app`), 'operator list', 'database list']) {
      const { code, stdout, stderr } = await owner.run(`${command} --json`)
      expect([code, stderr], command).toEqual([0, ''])
      JSON.parse(stdout)
    }
    const created = await owner.run('api-key create acme/app --name backend --scope users:read', [
      owner.nextCode(),
    ])
    expect(created.stdout).toMatch(/^Created API key \S+\. .*:\nusher_\S+\n$/s)
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'createApiKey', outcome: 'done' })
  })

  it('is recorded with the ID of an operator, and with cut texts', async ({ owner }) => {
    const added = await owner.run('operator add new@example.com --json', [owner.nextCode()])
    const { operator } = JSON.parse(added.stdout)
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'addOperator', target: operator.id })
    await owner.run('operator remove new@example.com', [owner.nextCode()])
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'removeOperator', target: operator.id })
    const long = await owner.run(`database create acme/\u001b${'a'.repeat(5_000)}`)
    expect(long.code).toBe(2)
    const [{ database }] = await actionsOf(owner)
    expect(database).toMatch(/^\uFFFDa{254}$/)
  })

  it('gets no more input than anybody types', async ({ owner }) => {
    const { socket, received, send } = await owner.connect()
    const args = 'connection add acme/app large --client-id 4711 --issuer https://localhost'.split(' ')
    send({ version, args, typesInput: true, showsErrors: true, hasColors: false })
    await expect.poll(() => received.some(({ ask }) => ask)).toBe(true)
    send({ answer: received.find(({ ask }) => ask)?.number, value: await owner.confirm() })
    const reads = () => received.filter(({ read }) => read).length
    for (let chunk = 1; chunk <= 3; chunk++) {
      await expect.poll(reads).toBeGreaterThanOrEqual(chunk)
      send({ stdin: Buffer.alloc(30_000, 'x').toString('base64') })
    }
    await expect.poll(() => socket.readyState).toBe(socket.CLOSED)
    const cancelled = { action: 'addConnection', outcome: 'cancelled' }
    await expect.poll(async () => (await actionsOf(owner))[0]).toMatchObject(cancelled)
  })

  it('asks for a secret on its terminal, after the confirmation', async ({ owner }) => {
    const added = await owner.run(
      'connection add acme/app acme --client-id 4711 --issuer https://localhost --json',
      [owner.nextCode(), 'secret of the client'],
    )
    expect(added.stderr).toMatch(/Code of your authenticator app: .*Secret of the client: /s)
    expect([added.code, errorIn(added.stderr).code]).toEqual([1, 'connection_invalid'])
    expect((await actionsOf(owner))[0]).toMatchObject({
      action: 'addConnection',
      target: 'acme',
      outcome: 'connection_invalid',
    })
  })

  it('imports a file of its machine, and writes the rejected lines next to it', async ({ owner, folder }) => {
    const file = join(folder, 'users.ndjson')
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      JSON.stringify({ email: `imported-${index}@example.com`, preferredName: 'x'.repeat(100) }),
    )
    await writeFile(file, [...lines, 'no JSON'].join('\n'))
    const imported = await owner.run(`user import acme/app ${file} --json`, [owner.nextCode()])
    const rejects = join(folder, 'users.rejects.ndjson')
    expect([imported.code, JSON.parse(imported.stdout)]).toEqual([
      1,
      { added: 3_000, alreadyThere: 0, rejected: 1, rejectsFile: rejects, tenantsWithoutOwner: [] },
    ])
    expect(JSON.parse(await readFile(rejects, 'utf8'))).toMatchObject({ line: 3_001, text: 'no JSON' })
    expect((await stat(rejects)).mode & 0o777).toBe(0o600)
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'beginImport', outcome: 'lines_rejected' })
    const [before] = await actionsOf(owner)
    const checked = await owner.run(`user import acme/app ${file} --dry-run --json`)
    expect(JSON.parse(checked.stdout)).toMatchObject({ added: 0, alreadyThere: 3_000, rejected: 1 })
    expect((await actionsOf(owner))[0]).toEqual(before)
    const missing = await owner.run(`user import acme/app ${file}.none --json`, [owner.nextCode()])
    expect(errorIn(missing.stderr)).toMatchObject({
      code: 'usage_error',
      detail: `cannot read the file ${file}.none`,
    })
  })

  it('ends before its next statement if its client disconnects', async ({ owner, usher }) => {
    const client = await owner.connect()
    client.start('user', 'import', 'acme/app', 'users.ndjson')
    let seen = 0
    const asked = async (question: object) => {
      const questions = () => client.received.filter((message) => 'ask' in message)
      await expect.poll(() => questions()[seen]).toMatchObject(question)
      return Number(questions()[seen++]?.number)
    }
    const confirmed = await asked({ ask: { confirm: true } })
    // The confirmation is that of the session.
    const stepUp = await usher.inject({
      method: 'POST',
      url: `/workspaces/usher/databases/operators/users/me/step-up`,
      headers: { authorization: `Bearer ${owner.jwt}` },
      payload: { totp: owner.nextCode() },
    })
    client.send({ answer: confirmed, value: stepUp.json().confirmation.value })
    client.send({ answer: await asked({ ask: { file: 'sizeOf', name: 'users.ndjson' } }), value: 100_000 })
    client.send({ answer: await asked({ ask: { file: 'remove', name: 'users.rejects.ndjson' } }) })
    const lines = Array.from({ length: 700 }, (_, index) => `{"email":"cut-${index}@example.com"}\n`)
    const value = Buffer.from(lines.join('')).toString('base64')
    client.send({ answer: await asked({ ask: { file: 'read' } }), value })
    await asked({ ask: { file: 'read' } })
    client.socket.terminate()
    await expect
      .poll(async () => (await actionsOf(owner))[0])
      .toMatchObject({ action: 'beginImport', outcome: 'cancelled' })
    expect(auditRecords(usher)).toContainEqual(
      expect.objectContaining({
        audit: 'users.imported',
        users: { added: 500, alreadyThere: 0, rejected: 0 },
      }),
    )
  })
})

describe('the server refuses', () => {
  it.for([
    'user export acme/app',
    'user set-password acme/app ada@example.com',
    'user create acme/app eve@example.com',
    'database set acme/app --app-name Engines',
    'database create acme/other --app-name Engines',
    'database set acme/app --mail-templates /etc',
    'workspace delete acme',
    'events expire-cursors',
    'operator reset owner@example.com',
  ])('%s, which only the host may run', async (command, { owner }) => {
    const { code, stderr } = await owner.run(`${command} --json`, 'four random common words')
    expect([code, errorIn(stderr).code]).toEqual([1, 'host_only'])
  })

  it('files of its own machine', async ({ owner, folder }) => {
    await owner.run('database set acme/app --app-url https://app.example.com', [owner.nextCode()])
    expect(await owner.run('mail preview acme/app --template invitation')).toMatchObject({ code: 0 })
    const target = join(folder, 'mails')
    const { code, stderr } = await owner.run(`mail preview acme/app --folder ${target}`)
    expect(`${code} ${stderr}`).toBe(`2 usher: a command on another machine cannot use ${target}\n`)
    await expect(stat(target)).rejects.toThrow('ENOENT')
  })

  it('details of an unexpected error, which its log has', async ({ owner, usher }) => {
    const { store } = usher.context
    const { query } = store
    vi.spyOn(store, 'query').mockImplementation(async (text, values) => {
      if (text.includes('ORDER BY u.id LIMIT 1000')) throw new Error('a detail of the store')
      return query(text, values)
    })
    const { code, stderr } = await owner.run('operator list --json')
    const error = { code: 'unexpected', detail: 'the server has an unexpected error. Its log has more' }
    expect([code, errorIn(stderr)]).toMatchObject([1, error])
    expect(usher.logged()).toContain('a detail of the store')
  })

  it('what the role may not do, and other workspaces, whose names it does not show', async ({
    support,
    owner,
  }) => {
    const outcome = async (operator: RemoteOperator, command: string) => {
      const { code, stdout, stderr } = await operator.run(`${command} --json`)
      return code === 0 ? JSON.parse(stdout) : errorIn(stderr)
    }
    expect(await outcome(support, 'tenant create acme/app Engines')).toMatchObject({
      code: 'role_insufficient',
      exitCode: 1,
    })
    const missing = { code: 'database_not_found', exitCode: 3, detail: 'Database not found' }
    for (const command of ['user list globex/app', 'user list globex/ap', 'user list acme/ap'])
      expect(await outcome(support, command)).toEqual({
        ...missing,
        title: 'Database not found',
        detail: expect.stringMatching(/^database not found$/i),
      })
    expect(await outcome(support, 'workspace list')).toMatchObject([{ slug: 'acme' }])
    expect(await outcome(support, 'database list')).toMatchObject([{ workspaceSlug: 'acme' }])
    const all = (await outcome(owner, 'workspace list')).map(({ slug }: { slug: string }) => slug)
    expect(all).toEqual(['acme', 'globex', 'usher'])
    expect(await outcome(owner, 'user list acme/ap')).toMatchObject({ suggestion: 'acme/app' })
    expect(await outcome(owner, 'user list usher/operators')).toMatchObject({ code: 'database_not_found' })
  })

  it('more than four commands of an operator at the same time', async ({ owner, support }) => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => owner.connect()))
    expect(clients.map(({ status }) => status)).toEqual([101, 101, 101, 101])
    const refused = await owner.run('workspace list --json')
    expect(refused).toMatchObject({ code: 5 })
    expect(errorIn(refused.stderr)).toMatchObject({
      code: 'unavailable',
      detail: expect.stringMatching(/^Too many commands/i),
    })
    expect((await support.run('workspace list')).code).toBe(0)
    for (const { socket } of clients) socket.close()
    await expect.poll(async () => (await owner.run('workspace list')).code).toBe(0)
  })

  it('pages of browsers, and connections without a token or a handshake', async ({
    owner,
    origin,
    usher,
  }) => {
    const authorization = `Bearer ${owner.jwt}`
    expect((await owner.connect({ headers: { authorization, origin } })).status).toBe(404)
    expect((await owner.connect({ headers: {} })).status).toBe(401)
    const plain = await usher.inject({ url: '/operator/commands', headers: { authorization } })
    expect([plain.statusCode, plain.json().code]).toEqual([400, 'malformed_request'])
  })

  it.for([
    ['input that it has not read', { stdin: 'AAAA' }],
    ['answers that it has not asked for', { answer: 7, value: 'x' }],
    ['messages that are too long', { stdin: 'A'.repeat(2 ** 19) }],
    ['what is no message', null],
  ] as const)('%s', async ([, message], { owner }) => {
    const { socket, start, send, received } = await owner.connect()
    start('connection', 'check', 'acme/app', 'none')
    send(message as object)
    await expect.poll(() => socket.readyState).toBe(socket.CLOSED)
    expect(received).not.toContainEqual({ exitCode: 0 })
  })
})

/** Starts a server that is not Usher. `respond` gets what a client has sent first. */
async function startOther(respond: (send: (message: object) => void) => void) {
  const received: string[] = []
  const server = createServer((_request, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ server, path: '/operator/commands' })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      received.push(String(data))
      if (received.length === 1) respond((message) => socket.send(`${JSON.stringify(message)}\n`))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

describe('the client', () => {
  it.for([
    { ask: { file: 'read', name: '/etc/passwd' }, number: 1 },
    { ask: { file: 'sizeOf', name: '/etc/passwd' }, number: 1 },
    { ask: { file: 'create', name: 'users.ndjson' }, number: 1 },
    { ask: { file: 'append', name: '/etc/passwd', text: 'eve' }, number: 1 },
    { ask: { file: 'constructor', name: 'users.ndjson' }, number: 1 },
    { unknown: true },
  ])('refuses a server that sends %j', async (message, { owner, folder }) => {
    const other = await startOther((send) => send(message))
    await owner.storeSession(other.origin)
    const file = join(folder, 'users.ndjson')
    const { code, stderr } = await owner.runOn(other.origin, `user import acme/app ${file} --json`)
    expect([code, errorIn(stderr).code]).toEqual([1, 'server_untrusted'])
    expect(other.received).toHaveLength(1)
    await owner.storeSession()
  })

  it('leaves no raw terminal if the server ends', async ({ owner }) => {
    const other = await startOther((send) => {
      send({ rawMode: true })
      send({ exitCode: 3 })
    })
    const modes: boolean[] = []
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (mode: boolean) => void modes.push(mode),
    })
    const session = {
      origin: other.origin,
      operator: owner,
      token: async () => owner.jwt,
      confirm: owner.confirm,
    }
    const host = { ...ownProcess(), stdin, print: printTo(process.stdout), hasColors: false }
    const command = { name: 'workspace list', args: {}, options: {} }
    expect(await runRemotely(session, { command, args: ['workspace', 'list'] }, host)).toBe(3)
    expect(modes).toEqual([true, false])
  })

  it('says why a server does not run the command', async ({ owner, usher }) => {
    const outcome = async (server: string, command = 'workspace list') => {
      const { code, stderr } = await owner.runOn(server, command)
      return `${code} ${stderr}`
    }
    const newer = await startOther((send) => send({ version: '9.9.9' }))
    await owner.storeSession(newer.origin)
    expect(await outcome(newer.origin)).toMatch(
      /^1 usher: the server is Usher 9\.9\.9, and this command is .*npx @usher\/server@9\.9\.9\n$/,
    )
    const bare = createServer((_request, response) => response.writeHead(404).end())
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
    const port = (bare.address() as AddressInfo).port
    await owner.storeSession(`http://127.0.0.1:${port}`)
    expect(await outcome(`http://127.0.0.1:${port}`)).toMatch(/^3 usher: http:\/\/127.* has no console/)
    await new Promise((resolve) => bare.close(resolve))
    expect(await outcome(`http://127.0.0.1:${port}`)).toMatch(/^5 usher: cannot reach http:\/\/127/)
    await owner.storeSession()
    expect(await outcome('http://localhost:1')).toMatch(/^1 usher: not logged in to .* login http/)
    expect(await outcome('http://usher.example.com')).toMatch(/^2 usher: the URL of a server must/)
    const listening = usher.app.listeningOrigin
    await owner.storeSession(listening, { token: 'x.y.z', refreshToken: 'x.y.z' })
    expect(await outcome(listening)).toMatch(/^1 usher: not logged in to .* login http/)
    await owner.storeSession()
  })

  it('runs commands on the server of USHER_SERVER, but not those that need no other server', async ({
    origin,
    owner,
  }) => {
    const run = (command: string, more = {}) => runUsher(command.split(' '), { ...owner.env, ...more })
    const listed = await run('workspace list', { USHER_SERVER: origin })
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('acme')])
    for (const command of ['serve', 'migrate', 'openapi', 'keys rewrap', 'store distribute', 'logout'])
      expect(await run(`--server ${origin} ${command}`)).toMatchObject({
        code: 2,
        stderr: `usher: ${command} does not run on another server. Leave out --server\n`,
      })
    expect((await run('openapi', { USHER_SERVER: origin })).code).toBe(0)
  })
})

it('a server that stops ends a command that waits for a confirmation', async ({ store, owner, settings }) => {
  const stopping = await startApp(store, settings)
  const origin = await stopping.app.listen({ host: '127.0.0.1', port: 0 })
  const client = await owner.connect({ origin })
  client.start('user', 'delete', 'acme/app', 'ada@example.com', '--yes')
  await expect.poll(() => client.received).toMatchObject([{ ask: { confirm: true } }])
  await stopping.close()
  expect(client.received.slice(1)).toEqual([
    { stderr: 'usher: the server is stopping. Nothing was changed\n' },
    { exitCode: 5 },
  ])
})

it('closes the connections of clients that it rejects, also if these keep them open', async ({
  origin,
  usher,
}) => {
  const open = () =>
    new Promise<number>((resolve) => usher.app.server.getConnections((_error, count) => resolve(count)))
  const before = await open()
  const sockets = Array.from({ length: 20 }, () => connect(Number(new URL(origin).port), '127.0.0.1'))
  for (const socket of sockets) {
    socket.write(
      'GET /operator/commands HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    )
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1.1 401 /)
    socket.pause()
  }
  expect(await open()).toBeGreaterThan(before)
  await expect.poll(open).toBeLessThanOrEqual(before)
  for (const socket of sockets) socket.destroy()
})

it('a request for another protocol is served as if it had not asked for it', async ({ origin, owner }) => {
  const body = JSON.stringify({ email: 'upgraded@example.com', preferredName: 'x'.repeat(10_000) })
  const head = [
    'POST /workspaces/acme/databases/app/management/users HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${owner.jwt}`,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const text = String(await exchange(Number(new URL(origin).port), bytes, 2_000))
  expect(text.match(/^HTTP\/1\.1 (\d+)/gm)).toEqual(['HTTP/1.1 400'])
  expect(text).toContain('preferredName')
})
