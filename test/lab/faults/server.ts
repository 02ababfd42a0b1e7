import { expect } from 'vitest'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { password } from '../../support/app.js'
import { startUsher } from '../../support/child.js'
import { freePort } from '../../support/postgres-server.js'

/** Status 0 means that the connection was refused or cut. */
export interface UsherResponse {
  status: number
  body: Record<string, unknown> & { id?: string; tenants?: string[]; token?: { jwt: string } }
}

const users = '/workspaces/acme/databases/app/users'

/** Every response must be faster, whatever the store does. */
const hangMilliseconds = 30_000

/** Starts the built server on a port that it keeps when it is restarted. */
export async function startServer(env: Record<string, string>) {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  async function start() {
    const child = startUsher(['serve'], { ...env, ...cheapHashes, HOST: '127.0.0.1', PORT: port })
    await child.printed('Server listening')
    return child
  }
  let child = await start()

  /** Sends a request. Throws if it hangs or if a 503 response is not as documented. */
  async function send(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<UsherResponse> {
    try {
      const response = await fetch(origin + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(hangMilliseconds),
      })
      const result = { status: response.status, body: (await response.json()) as UsherResponse['body'] }
      if (result.status === 503) {
        expect(result.body).toMatchObject({ code: 'unavailable', requestId: expect.any(String) })
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      return result
    } catch (error) {
      if (error instanceof TypeError) return { status: 0, body: {} }
      throw error
    }
  }
  /** @param path below that of the users */
  const post = (path: string, body: object, headers?: Record<string, string>) =>
    send(users + path, body, headers)
  return {
    post,
    get: (path: string) => send(path).then(({ status }) => status),
    signUp: (body: { email: string; newTenant?: string }, key?: string) =>
      post('', { password, ...body }, key ? { 'idempotency-key': key } : {}),
    login: (email: string, candidate = password) => post('/login', { email, password: candidate }),
    me: (jwt: string) => send(`${users}/me`, undefined, { authorization: `Bearer ${jwt}` }),
    logged: () => child.output.stdout,
    async restart() {
      child = await start()
    },
    async kill() {
      child.signal('SIGKILL')
      await child.ended
    },
    /** Sends SIGTERM. The server must still exit with 0. */
    async stop() {
      child.signal('SIGTERM')
      expect(await child.ended).toMatchObject({ code: 0 })
    },
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>
