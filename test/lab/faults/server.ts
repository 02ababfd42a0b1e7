import { expect } from 'vitest'
import { password } from '../../support/app.js'
import { cheapHashes } from '../../support/cheap-hashes.js'
import { startUsher } from '../../support/child.js'
import { freePort } from '../../support/postgres-server.js'

/** What came back: status 0 where the connection was refused or cut. */
export interface Answer {
  status: number
  body: Record<string, unknown> & { id?: string; tenants?: string[]; token?: { jwt: string } }
}

const users = '/workspaces/acme/databases/app/users'

/** No answer takes as long as this, whatever the store does. */
const hangMilliseconds = 30_000

/** The built server on a port that it keeps when it is started again. */
export async function startServer(env: Record<string, string>) {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  async function start() {
    const child = startUsher(['serve'], { ...env, ...cheapHashes, HOST: '127.0.0.1', PORT: port })
    await child.printed('Server listening')
    return child
  }
  let child = await start()

  /** Sends a request; fails where it hangs, or where the answer to a store that is away is not as documented. */
  async function send(path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    try {
      const response = await fetch(origin + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(hangMilliseconds),
      })
      const answer = { status: response.status, body: (await response.json()) as Answer['body'] }
      if (answer.status === 503) {
        expect(answer.body).toMatchObject({ code: 'unavailable', requestId: expect.any(String) })
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      return answer
    } catch (error) {
      if (error instanceof TypeError) return { status: 0, body: {} }
      throw error
    }
  }
  return {
    get: (path: string) => send(path).then(({ status }) => status),
    signUp: (body: { email: string; newTenant?: string }, key?: string) =>
      send(users, { password, ...body }, key ? { 'idempotency-key': key } : {}),
    login: (email: string, candidate = password) => send(`${users}/login`, { email, password: candidate }),
    me: (jwt: string) => send(`${users}/me`, undefined, { authorization: `Bearer ${jwt}` }),
    logged: () => child.output.stdout,
    async restart() {
      child = await start()
    },
    async kill() {
      child.signal('SIGKILL')
      await child.ended
    },
    /** Ends it as an operator does; it must still do as it is told. */
    async stop() {
      child.signal('SIGTERM')
      expect(await child.ended).toMatchObject({ code: 0 })
    },
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>
