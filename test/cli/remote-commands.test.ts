import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { run } from '../../server/cli/program.js'
import { createHostCall, hostCaller } from '../../server/run/host.js'
import { exchange } from '../http/raw-http.js'
import { nameOfCommand, useEveryCommand } from '../store/every-command.js'
import { auditRecords } from '../support/audit.js'
import { usher } from '../support/child.js'
import { hostWith, runUsher } from '../support/command-line.js'
import { it, type RemoteOperator } from '../support/remote-commands.js'

const errorIn = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
const actionsOf = async ({ send }: Pick<RemoteOperator, 'send'>) =>
  (await send('GET', '/operator/actions')).json().actions

it('every command works on another machine, apart from those of the host', async ({
  usher: { context, config, app, clock },
  owner,
  folder,
  provider,
}) => {
  const ofHost = new Set<string>()
  const call = createHostCall({ context, consoleUrl: config.consoleUrl, caller: hostCaller(app.log) })
  const open = async () => ({ call, hasConsole: true, close: async () => undefined })
  const runHere = async (command: string, input = '') => {
    const { host, output } = hostWith(input)
    return { code: await run(command.split(' '), host, open), ...output }
  }
  await useEveryCommand(
    async (typed, input) => {
      const command = `${typed} --json`
      let { code, stdout, stderr } = await owner.runConfirmed(command, input)
      if (code !== 0 && errorIn(stderr).code === 'host_only') {
        ofHost.add(nameOfCommand(typed))
        ;({ code, stdout, stderr } = await runHere(command, input))
      }
      expect(code, `${command}: ${stderr}`).toBe(0)
      // A server applies settings within 5 s.
      clock.cacheAhead += 6_000
      return stdout
    },
    { folder, issuer: provider.issuer },
  )
  expect([...ofHost].sort()).toEqual([
    'database set',
    'events expire-cursors',
    'operator reset',
    'user create',
    'user export',
    'user set-password',
    'workspace delete',
  ])
})

describe('a command of another machine', () => {
  it('is recorded and audited as that of its operator', async ({ usher, owner }) => {
    const created = await owner.run('tenant create home/app Engines --json')
    expect(created.code, created.stderr).toBe(0)
    const { id: target } = JSON.parse(created.stdout)
    const action = { action: 'addTenant', workspace: 'home', database: 'app', operatorId: owner.id }
    expect((await actionsOf(owner))[0]).toMatchObject({ ...action, target, outcome: 'done' })
    const audited = { audit: 'tenant.created', tenantId: target, operatorId: owner.id }
    expect(auditRecords(usher)).toContainEqual(expect.objectContaining(audited))
    const taken = await owner.run('workspace create home --json')
    expect([taken.code, errorIn(taken.stderr).code]).toEqual([4, 'workspace_exists'])
  })

  it('is run by the built command', async ({ owner, origin }) => {
    const built = await usher(['--server', origin, 'workspace', 'list'], owner.env)
    expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining('home'), stderr: '' })
  })

  it('shows what the role may see', async ({ owner, support }) => {
    const users = '/workspaces/home/databases/app/management/users'
    const ada = { email: 'ada@example.com', privateMetadata: { plan: 'secret plan' } }
    await owner.send('POST', users, ada)
    const shown = async (operator: RemoteOperator) =>
      JSON.parse((await operator.run('user show home/app ada@example.com --json')).stdout)
    expect((await shown(owner)).privateMetadata).toEqual({ plan: 'secret plan' })
    expect((await shown(support)).privateMetadata).toBeNull()
  })

  it('asks for a code of the authenticator app if the server wants a confirmation', async ({ owner }) => {
    await owner.run('user create home/app bob@example.com --no-password')
    const set = 'user set-email home/app bob@example.com eve@example.com'
    const wrong = await owner.run(set, ['000000', '000000', '000000'])
    expect(`${wrong.code} ${wrong.stderr}`).toMatch(/^1 .*Code of your authenticator app: .*usher: /s)
    expect((await owner.run('user show home/app bob@example.com')).code).toBe(0)
    const deleted = await owner.run('user delete home/app bob@example.com', [
      'bob@example.com',
      owner.nextCode(),
    ])
    expect(`${deleted.code} ${deleted.stdout}${deleted.stderr}`).toMatch(
      /^0 Deleted user .*Type bob@example\.com to delete .*Code of your authenticator app: /s,
    )
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'removeUser', outcome: 'done' })
    expect((await owner.run('database set home/app --session-idle 7200')).code).toBe(0)
    const created = await owner.run('api-key create home/app --name backend --scope users:read', [
      owner.nextCode(),
    ])
    expect(created.stdout).toMatch(/^Created API key \S+\. .*:\nusher_\S+\n$/s)
  })

  it('names the option of a field that the server refuses', async ({ owner }) => {
    const add = 'connection add home/app'
    const unknown = await owner.runConfirmed(`${add} acme --client-id app --no-secret`)
    expect(unknown).toMatchObject({ code: 2, stderr: 'usher: --issuer is required for this preset\n' })
    const apple = await owner.runConfirmed(
      `${add} apple --client-id app --team-id 1 --key-id KEY0000000`,
      'secret',
    )
    expect(apple.stderr).toContain('usher: --team-id must be 10 characters A-Z and 0-9')
  })

  it('imports a file of its machine with one confirmation', async ({ owner, folder }) => {
    const file = join(folder, 'users.ndjson')
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      JSON.stringify({ email: `imported-${index}@example.com`, preferredName: 'x'.repeat(100) }),
    )
    await writeFile(file, [...lines, 'no JSON'].join('\n'))
    const imported = await owner.run(`user import home/app ${file} --json`, [owner.nextCode()])
    const rejects = join(folder, 'users.rejects.ndjson')
    expect([imported.code, JSON.parse(imported.stdout)]).toEqual([
      1,
      { added: 3_000, alreadyThere: 0, rejected: 1, rejectsFile: rejects, tenantsWithoutOwner: [] },
    ])
    expect(JSON.parse(await readFile(rejects, 'utf8'))).toMatchObject({ line: 3_001, text: 'no JSON' })
    expect((await stat(rejects)).mode & 0o777).toBe(0o600)
    expect((await actionsOf(owner))[0]).toMatchObject({ action: 'beginImport', outcome: 'done' })
    const checked = await owner.run(`user import home/app ${file} --dry-run --json`)
    expect(JSON.parse(checked.stdout)).toMatchObject({ added: 0, alreadyThere: 3_000, rejected: 1 })
  })

  it.for(['database set home/app --app-name Engines', 'database create home/other --mail-templates none'])(
    '%s is refused, because only the host may set mails',
    async (command, { owner }) => {
      const { code, stderr } = await owner.run(`${command} --json`)
      expect([code, errorIn(stderr).code]).toEqual([1, 'host_only'])
    },
  )

  it('gets no details of an unexpected error, which the log of the server has', async ({ owner, usher }) => {
    const { store } = usher.context
    const { query } = store
    vi.spyOn(store, 'query').mockImplementation(async (text, values) => {
      if (text.includes('ORDER BY u.id LIMIT 1000')) throw new Error('a detail of the store')
      return query(text, values)
    })
    const { code, stderr } = await owner.run('operator list --json')
    expect([code, errorIn(stderr).code]).toEqual([1, 'internal_error'])
    expect(stderr).not.toContain('a detail of the store')
    expect(usher.logged()).toContain('a detail of the store')
  })

  it('does not find what is in other workspaces', async ({ support, owner }) => {
    const outcome = async (operator: RemoteOperator, command: string) => {
      const { code, stdout, stderr } = await operator.run(`${command} --json`)
      return code === 0 ? JSON.parse(stdout) : errorIn(stderr)
    }
    expect(await outcome(support, 'tenant create home/app Engines')).toMatchObject({
      code: 'role_insufficient',
      exitCode: 1,
    })
    for (const command of ['user list globex/app', 'user list globex/ap', 'user list home/ap'])
      expect(await outcome(support, command)).toEqual({
        code: 'database_not_found',
        exitCode: 3,
        title: 'Database not found',
        detail: expect.stringMatching(/^database not found$/i),
      })
    expect((await outcome(support, 'workspace list')).workspaces).toMatchObject([{ slug: 'home' }])
    expect((await outcome(support, 'database list')).databases).toMatchObject([{ workspace: 'home' }])
    expect(await outcome(owner, 'user list usher/operators')).toMatchObject({ code: 'database_not_found' })
  })
})

/** Starts a server that is not Usher, or of another version. */
async function startOther(status: number, body: object = {}) {
  const server = createServer((_request, response) => response.writeHead(status).end(JSON.stringify(body)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

it('the client says why a server does not run the command', async ({ owner, usher }) => {
  const outcome = async (server: string, command = 'workspace list') => {
    const { code, stderr } = await owner.runOn(server, command)
    return `${code} ${stderr}`
  }
  const place = { workspace: 'usher', database: 'operators', hasOperators: true }
  const newer = await startOther(200, { ...place, version: '9.9.9' })
  await owner.storeSession(newer.origin)
  expect(await outcome(newer.origin)).toMatch(
    /^1 usher: http:\/\/127\S+ is Usher 9\.9\.9, and this command is .*npx @usher\/server@9\.9\.9\n$/,
  )
  const bare = await startOther(404)
  await owner.storeSession(bare.origin)
  expect(await outcome(bare.origin)).toMatch(/^3 usher: http:\/\/127.* responds with status 404/)
  await bare.close()
  expect(await outcome(bare.origin)).toMatch(/^5 usher: cannot reach http:\/\/127/)
  await owner.storeSession()
  expect(await outcome('http://localhost:1')).toMatch(/^1 usher: not logged in to .* login http/)
  expect(await outcome('http://usher.example.com')).toMatch(/^2 usher: the URL of a server must/)
  const listening = usher.app.listeningOrigin
  await owner.storeSession(listening, { token: 'x.y.z', refreshToken: 'x.y.z' })
  expect(await outcome(listening)).toMatch(/^1 usher: not logged in to .* login http/)
  await owner.storeSession()
})

it('commands run on the server of USHER_SERVER, but not those that need no other server', async ({
  origin,
  owner,
}) => {
  const run = (command: string, more = {}) => runUsher(command.split(' '), { ...owner.env, ...more })
  const listed = await run('workspace list', { USHER_SERVER: origin })
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('home')])
  for (const command of ['serve', 'migrate', 'openapi', 'keys rewrap', 'store distribute', 'logout'])
    expect(await run(`--server ${origin} ${command}`)).toMatchObject({
      code: 2,
      stderr: `usher: ${command} does not run on another server. Leave out --server\n`,
    })
  expect((await run('openapi', { USHER_SERVER: origin })).code).toBe(0)
})

it('a request for another protocol is served as if it had not asked for it', async ({ origin, owner }) => {
  const body = JSON.stringify({ email: 'upgraded@example.com', preferredName: 'x'.repeat(10_000) })
  const head = [
    'POST /workspaces/home/databases/app/management/users HTTP/1.1',
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
