import { randomBytes } from 'node:crypto'
import type { Session, SignedInUser } from '@usher/contract'
import { createVerifier, type Fetch } from '@usher/verify'
import { test } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { password } from '../../support/app.js'
import { startInstance } from '../../support/instances.js'
import { openPostgres } from '../../support/open-store.js'
import { createApiKey } from '../../support/operator-changes.js'
import { startProxy } from '../../support/proxy.js'
import { createPostgresDatabase } from '../../support/store.js'
import { times } from '../form.js'

export const path = { workspaceSlug: 'acme', databaseName: 'app' }

/** The address in tokens. Requests go to the proxy. */
const baseUrl = 'https://id.example.com'

export const verifierCount = times(3, 20)
export const staleSeconds = times(10, 30)

/** Starts servers on one Postgres database, behind a proxy that uses only ready servers. */
async function startServers(count: number) {
  const database = await createPostgresDatabase()
  const masterKey = randomBytes(32)
  const store = await openPostgres(database.url, masterKey)
  await createWorkspace(store, path.workspaceSlug, new Date())
  // All clients have one network.
  await createDatabase({ store, now: new Date() }, path, { networkFailuresPerHour: 0, signUpsPerHour: 0 })
  const env = {
    DATABASE_URL: database.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: baseUrl,
    TRUST_PROXY: '1',
    ...cheapHashes,
  }
  const servers = await Promise.all(Array.from({ length: count }, () => startInstance(env)))
  const proxy = await startProxy(
    servers.map(({ origin }) => origin),
    50,
  )
  return {
    store,
    origin: proxy.origin,
    /** Kills a server, and starts it again. */
    async kill(index: number) {
      const server = servers[index]
      server?.signal('SIGKILL')
      await server?.ended
      servers[index] = await startInstance(env, server?.port)
    },
    async close() {
      await proxy.close()
      await Promise.all(servers.map(({ stop }) => stop()))
      await store.close()
      await database.drop()
    },
  }
}

/** Creates a connection that a test can cut: then nothing arrives, and nothing says so. */
function createLink(origin: string) {
  const lost = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const link = { isCut: false }
  const send: Fetch = async (url, init) => {
    if (link.isCut) return lost(init.signal)
    const response = await fetch(url.replace(baseUrl, origin), init)
    return link.isCut ? lost(init.signal) : response
  }
  return { link, send }
}

/** `it` with servers, an API key, and backends that verify tokens by themselves. */
export const it = test
  .extend('count', { scope: 'file' }, 3)
  .extend('servers', { scope: 'file' }, async ({ count }, { onCleanup }) => {
    const servers = await startServers(count)
    onCleanup(servers.close)
    return servers
  })
  .extend('startBackend', { scope: 'file' }, async ({ servers }, { onCleanup }) => {
    const described = { name: 'backends', scopes: ['revocations:read' as const], expiresInSeconds: 86_400 }
    const { key: apiKey } = await createApiKey({ store: servers.store, now: new Date() }, path, described)
    const cleanups: (() => void)[] = []
    onCleanup(() => {
      for (const close of cleanups) close()
    })
    return (onStale: 'accept' | 'refuse' = 'refuse') => {
      const { link, send } = createLink(servers.origin)
      const verifier = createVerifier({
        baseUrl,
        workspace: path.workspaceSlug,
        database: path.databaseName,
        fetch: send,
        revocations: { apiKey, onStale, staleSeconds },
      })
      cleanups.push(verifier.close)
      /** Returns `accepted`, or the code of the error. */
      const outcome = async (token: string) => (await verifier.verify(token)).error?.code ?? 'accepted'
      return { link, outcome, revocations: verifier.revocations }
    }
  })
  .extend('backends', { scope: 'file' }, ({ startBackend }) =>
    Array.from({ length: verifierCount }, () => startBackend()),
  )
  .extend('api', { scope: 'file' }, ({ servers }) => {
    /** Sends a request to a server that is ready. Repeats it if that server is killed: a sign-up may have been stored. */
    async function send<Body>(
      method: string,
      route: string,
      { token, ...body }: { token?: string; [field: string]: unknown },
    ): Promise<Body> {
      const key = crypto.randomUUID()
      for (let tries = 0; ; tries++) {
        const response = await fetch(`${servers.origin}/workspaces/acme/databases/app/users${route}`, {
          method,
          headers: {
            'content-type': 'application/json',
            'idempotency-key': key,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          ...(method !== 'DELETE' && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        if (response.ok) return (text && JSON.parse(text)) as Body
        if (tries === 50 || ![502, 503].includes(response.status)) throw new Error(`${route}: ${text}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    return {
      async signUp() {
        const email = `${crypto.randomUUID()}@example.com`
        return { email, ...(await send<SignedInUser>('POST', '', { email, password })) }
      },
      logIn: (email: string, current: string) =>
        send<SignedInUser>('POST', '/login', { email, password: current }),
      openSession: (token: string) => send<Session>('POST', '/me/session', { token }),
      refresh: (refreshToken: string) => send<Session>('POST', '/session/refresh', { refreshToken }),
      endSession: (refreshToken: string) => send('POST', '/session/end', { refreshToken }),
      changePassword: (token: string, current: string, newPassword: string) =>
        send<SignedInUser>('PUT', '/me/password', { token, password: current, newPassword }),
    }
  })
