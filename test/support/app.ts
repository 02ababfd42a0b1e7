import { Writable } from 'node:stream'
import type { Session, SignedInUser } from '@usher/contract'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { loadConfig } from '../../server/config.js'
import { createDatabase } from '../../server/domain/management/databases.js'
import { ensureWorkspace } from '../../server/domain/management/workspaces.js'
import { type DeliveryIntervals, usualIntervals } from '../../server/domain/outbox/intervals.js'
import { buildUsher } from '../../server/index.js'
import type { PasswordPolicy } from '../../server/store/generated/enums.js'
import type { Store } from '../../server/store/store.js'
import { expectDocumented } from './documented.js'
import { sharedHasher, usualHashes } from './hasher.js'
import { startInstances } from './instances.js'
import { noSettings } from './no-settings.js'
import { watchSecrets } from './secrets.js'
import type { TestStore } from './store.js'

export const start = Date.parse('2026-03-01T12:00:00Z')

/** The clock of an app in milliseconds: its time, and how far the clock of its caches is ahead. */
interface TestClock {
  now: number
  cacheAhead: number
}

interface TestApp {
  /** The texts that DNS has for a name, or the code with which it fails. */
  dns: Map<string, string[] | string>
  instances: number
  clock: TestClock
  intervals: DeliveryIntervals
}

/** Starts the app in this process, without a port. */
async function startInProcess(
  store: Store,
  env: Record<string, string>,
  { clock, intervals, dns }: Pick<TestApp, 'clock' | 'intervals' | 'dns'>,
) {
  const logged: string[] = []
  const log = pino(
    { level: env.LOG_LEVEL ?? 'trace' },
    new Writable({ write: (chunk, _encoding, done) => done(void logged.push(String(chunk))) }),
  )
  const config = loadConfig(env)
  const keptOpen = { ...store, close: async () => undefined }
  const usher = await buildUsher(config, keptOpen, {
    log,
    clock: { now: () => clock.now, cacheNow: () => performance.now() + clock.cacheAhead },
    intervals,
    hashing: sharedHasher(config.hashing),
    dns: async (name) => {
      const texts = dns.get(name) ?? 'ENOTFOUND'
      if (typeof texts === 'string') throw Object.assign(new Error(texts), { code: texts })
      return texts.map((text) => [text.slice(0, 9), text.slice(9)])
    },
  })
  return {
    ...usher,
    config,
    /** A test may shorten them. */
    intervals,
    inject: (options: InjectOptions) => usher.app.inject(options),
    logged: () => logged.join(''),
    forgetLog: () => void logged.splice(0),
  }
}

/** Starts the app, and instances behind a proxy that receive its requests. */
async function startBehindProxy(
  store: TestStore,
  env: Record<string, string>,
  { instances: count, ...app }: TestApp,
) {
  const local = await startInProcess(store, env, app)
  const TRUST_PROXY = String(Number(local.config.trustedProxies) + 1)
  const { LOG_LEVEL = 'trace', BASE_URL = local.config.baseUrl } = env
  const settings = { ...env, ...store.settings, LOG_LEVEL, BASE_URL, TRUST_PROXY }
  const instances = await startInstances(count, settings, app.clock)
  return { ...local, ...instances, close: () => instances.close().then(local.close) }
}

/**
 * Starts the app on a store, with a clock that a test sets.
 *
 * @param app `instances` is the number of processes behind a proxy that receive its requests. 0: only this process.
 *   `intervals` differ from the usual ones
 */
export async function startApp(
  store: TestStore,
  env: Record<string, string> = {},
  { instances = 0, intervals }: { instances?: number; intervals?: Partial<DeliveryIntervals> } = {},
) {
  const clock: TestClock = { now: start, cacheAhead: 0 }
  const { DATA_DIR = '' } = noSettings
  // Receivers of webhooks are on this machine.
  const settings = { ...usualHashes, DATA_DIR, PRIVATE_WEBHOOKS: '*', ...env }
  const dns: TestApp['dns'] = new Map()
  const app = { instances, clock, dns, intervals: { ...usualIntervals, ...intervals } }
  const api = await (instances > 0 ? startBehindProxy : startInProcess)(store, settings, app)
  const secrets = watchSecrets()

  /** Sends a request. Fails if the OpenAPI document does not describe the response. */
  async function send(
    options: InjectOptions & { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'; url: string },
  ) {
    const response = await api.inject(options)
    expectDocumented(options.method, options.url, response)
    secrets.note(options, response.body)
    return response
  }

  function client(workspaceSlug: string, databaseName: string) {
    const users = `/workspaces/${workspaceSlug}/databases/${databaseName}/users`
    const openSession = (token: string, payload?: object) =>
      send({
        method: 'POST',
        url: `${users}/me/session`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload && { payload }),
      })
    const refresh = (refreshToken: string) =>
      send({ method: 'POST', url: `${users}/session/refresh`, payload: { refreshToken } })
    /** Signs up a user. */
    async function signedUp(body: object = {}): Promise<SignedInUser> {
      const response = await send({ method: 'POST', url: users, payload: validUser(body) })
      if (response.statusCode !== 201) throw new Error(response.body)
      return response.json()
    }
    /** Signs up a user and opens a session. */
    async function opened(body: object = {}): Promise<Session> {
      const { token } = await signedUp(body)
      const response = await openSession(token.jwt)
      if (response.statusCode !== 201) throw new Error(response.body)
      return response.json()
    }
    return {
      users,
      createUser: (body: object) => send({ method: 'POST', url: users, payload: body }),
      login: (body: object) => send({ method: 'POST', url: `${users}/login`, payload: body }),
      me: (token: string) =>
        send({ method: 'GET', url: `${users}/me`, headers: { authorization: `Bearer ${token}` } }),
      /** Sends a request with a token to a path below `users`. */
      as: (
        token: string,
        method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
        path: string,
        payload?: object,
      ) =>
        send({
          method,
          url: `${users}/${path}`,
          headers: { authorization: `Bearer ${token}` },
          ...(payload && { payload }),
        }),
      openSession,
      refresh,
      /** Refreshes a session, and again with the successor: another use of the refresh token ends the session. */
      refreshTwice: async (refreshToken: string) =>
        refresh((await refresh(refreshToken)).json().refreshToken.value),
      endSession: (refreshToken: string) =>
        send({ method: 'POST', url: `${users}/session/end`, payload: { refreshToken } }),
      signedUp,
      opened,
    }
  }

  /** Creates a database, by default in a new workspace. */
  async function newDatabase(
    passwordPolicy: PasswordPolicy = 'standard',
    workspaceSlug = unique('workspace'),
  ) {
    const path = { workspaceSlug, databaseName: unique('database') }
    await ensureWorkspace(store, workspaceSlug, new Date(clock.now))
    // Tests sign up many users from one network.
    const settings = { passwordPolicy, signUpsPerHour: 0 }
    const { id } = await createDatabase({ store, now: new Date(clock.now) }, path, settings)
    const operations = client(workspaceSlug, path.databaseName)
    /** Marks the address of a user as verified. After a change, it is reserved only then. */
    const markVerified = (canonicalEmail: string) =>
      store.prisma.user.updateMany({
        where: { databaseId: id, canonicalEmail, emailVerifiedAt: null },
        data: { emailVerifiedAt: new Date(clock.now) },
      })
    /** Signs up a user whose address is verified. */
    const verifiedUser = async (body: object = {}) => {
      const given = validUser(body)
      const user = await operations.signedUp(given)
      await markVerified(given.email)
      return user
    }
    return {
      id,
      ...path,
      path: `${workspaceSlug}/${path.databaseName}`,
      ...operations,
      markVerified,
      verifiedUser,
    }
  }

  /** Stops the app. Fails if its log contains a secret of a request or response. */
  async function close() {
    await api.close()
    secrets.expectNoneIn(api.logged())
  }

  return {
    ...api,
    clock,
    dns,
    store,
    send,
    client,
    newDatabase,
    close,
  }
}

export type TestApi = Awaited<ReturnType<typeof startApp>>
export type TestDatabase = Awaited<ReturnType<TestApi['newDatabase']>>

let count = 0
const unique = (noun: string) => `${noun}-${++count}`

export const password = 'correct horse battery'

/** Returns a valid sign-up body with the given changes. */
export const validUser = (body: object = {}) => ({
  email: `${unique('user')}@example.com`,
  password,
  ...body,
})
