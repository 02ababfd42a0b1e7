import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@usher/contract'
import { WebSocket } from 'ws'
import { version } from '../../server/version.js'
import { type Input, runUsher } from './command-line.js'
import { it as consoleTest, type LoggedInOperator } from './console.js'

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
    async function storeSession(server: string, given: { token?: string; refreshToken?: string } = {}) {
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
    /** Opens a connection as that of a command, without one. */
    async function connect({
      origin: server = origin,
      headers = { authorization: `Bearer ${token.jwt}` },
    }: {
      origin?: string
      headers?: Record<string, string>
    } = {}) {
      const socket = new WebSocket(`${server.replace('http', 'ws')}/operator/commands`, { headers })
      const status = await Promise.race([
        once(socket, 'open').then(() => 101),
        once(socket, 'unexpected-response').then(([request, { statusCode }]) => {
          request.destroy()
          socket.on('error', () => undefined)
          return statusCode as number
        }),
      ])
      const received: Record<string, unknown>[] = []
      socket.on('message', (data) => received.push(JSON.parse(String(data))))
      const send = (message: object) => socket.send(`${JSON.stringify(message)}\n`)
      const start = (...args: string[]) =>
        send({ version, args, typesInput: false, showsErrors: false, hasColors: false })
      return { socket, status, received, send, start }
    }
    await storeSession(origin)
    return {
      ...operator,
      jwt: token.jwt,
      env: { XDG_CONFIG_HOME },
      connect,
      runOn,
      run: (command: string, input?: Input) => runOn(origin, command, input),
      storeSession: (server = origin, given = {}) => storeSession(server, given),
    }
  }

/** `it` with a server that listens, its first operator, and an admin of one of two workspaces, on another machine. */
export const it = consoleTest
  .extend('settings', { scope: 'file' }, { CONSOLE: 'on', LOG_LEVEL: 'info' } as Record<string, string>)
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
    for (const slug of ['acme', 'globex']) {
      await owner.send('POST', '/operator/workspaces', { slug })
      await owner.send('POST', `/operator/workspaces/${slug}/databases`, { name: 'app' })
    }
    return logIn(owner)
  })
  .extend('support', { scope: 'file' }, async ({ console, owner, logIn }) =>
    logIn(
      await console.operator(owner, { email: 'support@example.com', workspace: 'acme', role: 'support' }),
    ),
  )
