import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@usher/contract'
import { run } from '../../server/cli/program.js'
import { callOf } from '../../server/cli/transports/https.js'
import { hostWith, type Input, runUsher } from './command-line.js'
import { it as consoleTest, type LoggedInOperator } from './console.js'
import { startLyingProvider } from './lying-provider.js'

/** An operator on another machine. */
export type RemoteOperator = Awaited<ReturnType<ReturnType<typeof createLogin>>>

/** Returns a function that logs an operator in on another machine, whose files are in a folder. */
const createLogin =
  (
    folder: string,
    { origin, workspace, database }: { origin: string; workspace: string; database: string },
  ) =>
  async (operator: LoggedInOperator, users: string) => {
    const opened = await operator.send('POST', `${users}/me/session`, {})
    const { token, refreshToken }: Session = opened.json()
    const XDG_CONFIG_HOME = join(folder, operator.id)
    /** Stores the session as that of a server. */
    async function storeSession(server = origin, given: { token?: string; refreshToken?: string } = {}) {
      const session = {
        ...{ workspace, database, email: operator.email },
        ...{ token: token.jwt, refreshToken: refreshToken.value, ...given },
        refreshAt: Date.now() + 3_600_000,
      }
      await mkdir(join(XDG_CONFIG_HOME, 'usher'), { recursive: true, mode: 0o700 })
      const file = join(XDG_CONFIG_HOME, 'usher', 'sessions.json')
      await writeFile(file, JSON.stringify({ [server]: session }), { mode: 0o600 })
    }
    /** Runs a command on a server. */
    const runOn = async (server: string, command: string, input?: Input) =>
      runUsher(['--server', server, ...command.split(' ')], { XDG_CONFIG_HOME }, input)
    /** Runs a command on the server, and confirms what needs a confirmation without a question. */
    async function runConfirmed(command: string, input = '') {
      const { host, output } = hostWith(input)
      const confirmed = callOf({ origin, token: async () => operator.jwt, confirm: operator.confirm })
      const open = async () => ({ call: confirmed, hasConsole: true, close: async () => undefined })
      return { code: await run(command.split(' '), host, open), ...output }
    }
    await storeSession()
    return {
      ...operator,
      jwt: token.jwt,
      env: { XDG_CONFIG_HOME },
      runOn,
      run: (command: string, input?: Input) => runOn(origin, command, input),
      runConfirmed,
      storeSession,
    }
  }

/** `it` with a server that listens, its first operator, and a support of one of two workspaces, on another machine. */
export const it = consoleTest
  .extend('provider', { scope: 'file' }, async ({ store: _ }, { onCleanup }) => {
    const provider = await startLyingProvider()
    onCleanup(provider.close)
    return provider
  })
  .extend(
    'settings',
    { scope: 'file' },
    ({ provider }): Record<string, string> => ({
      CONSOLE: 'on',
      LOG_LEVEL: 'info',
      PRIVATE_ISSUERS: provider.issuer,
    }),
  )
  .extend('origin', { scope: 'file' }, ({ usher }) => usher.app.listen({ host: '127.0.0.1', port: 0 }))
  .extend('folder', { scope: 'file' }, async ({ console: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-remote-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  .extend('logIn', { scope: 'file' }, ({ console, origin, folder }) => {
    const { workspaceSlug: workspace, databaseName: database } = console.database
    const logIn = createLogin(folder, { origin, workspace, database })
    return (operator: LoggedInOperator) => logIn(operator, console.users)
  })
  .extend('owner', { scope: 'file' }, async ({ console, logIn }) => {
    const owner = await console.owner()
    for (const slug of ['home', 'globex']) {
      await owner.send('POST', '/operator/workspaces', { slug })
      await owner.send('POST', `/operator/workspaces/${slug}/databases`, { name: 'app' })
    }
    return logIn(owner)
  })
  .extend('support', { scope: 'file' }, async ({ console, owner, logIn }) =>
    logIn(
      await console.operator(owner, { email: 'support@example.com', workspace: 'home', role: 'support' }),
    ),
  )
