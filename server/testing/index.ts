import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { loadConfig } from '../config.js'
import { systemClock } from '../domain/clock.js'
import type { Mail } from '../domain/mail/mailer.js'
import { buildUsher } from '../index.js'
import { openInMemory } from '../store/in-memory.js'
import { addProvider, type ProviderOptions, type StartedProvider, type TestProvider } from './add-provider.js'
import {
  addTenantProvider,
  type ProvenRecords,
  type TenantProviderOptions,
  type TestTenantProvider,
} from './add-tenant-provider.js'
import { cheapHashes } from './cheap-hashes.js'
import { databaseCreator, newApiKey } from './operator.js'
import { type ApiKeyOptions, type DatabaseOptions, rejectOptions, StartOptions } from './options.js'

export type { ProviderOptions, TestProvider } from './add-provider.js'
export type { TenantProviderOptions, TestTenantProvider } from './add-tenant-provider.js'
export type { ApiKeyOptions, DatabaseOptions, StartOptions } from './options.js'
export type { TestPerson } from './provider-accounts.js'

/** Address of a database, with the names that `createClient` and `createVerifier` expect. */
export interface TestDatabase {
  baseUrl: string
  workspace: string
  database: string
}

/** A running server, with the address of its first database. */
export interface TestServer extends TestDatabase {
  createDatabase(options?: DatabaseOptions): Promise<TestDatabase>
  /** Creates an API key of a database, of the first one by default, and returns what `createManagementClient` expects. */
  createApiKey(options?: ApiKeyOptions): Promise<string>
  /**
   * Starts an identity provider without passwords, and adds its connection to a database, to the first one by default. The provider
   * stops with the server.
   */
  addProvider(options: ProviderOptions): Promise<TestProvider>
  /**
   * Starts an identity provider of a tenant without passwords, and adds its connection and the domains of the tenant, which count as
   * proven. The database has the setting `singleSignOn`. The provider stops with the server.
   */
  addTenantProvider(options: TenantProviderOptions): Promise<TestTenantProvider>
  /** Waits for a mail to an address, and returns the oldest one that it has not returned yet. */
  mailTo(address: string): Promise<Pick<Mail, 'subject' | 'text' | 'html'>>
  /**
   * Returns the time of the server's clock, in milliseconds since the epoch: `Date.now` plus what it was advanced by.
   */
  now(): number
  /** Moves the server's clock forward, for example past the end of a token or of a throttle. */
  advanceSeconds(seconds: number): void
  /** Stops the server and deletes all its data. */
  stop(): Promise<void>
}

const host = '127.0.0.1'

/** Longer than a server keeps the connections of a database. */
const connectionMilliseconds = 6_000

/**
 * Starts a server on a free port, with a store in memory, cheap hashes and a clock that tests can move.
 *
 * @throws {TypeError} if an option is invalid
 *
 * @example
 * ```ts
 * const usher = await startUsher()
 * const client = createClient(usher)
 * await usher.stop()
 * ```
 */
export async function startUsher(options: StartOptions = {}): Promise<TestServer> {
  return start(options).catch(rejectOptions('startUsher'))
}

async function start(options: StartOptions): Promise<TestServer> {
  const { settings: environment, dns, ...first } = StartOptions.parse(options)
  // The long queue prevents shed requests on a slow machine.
  const config = loadConfig({ ...cheapHashes, HASH_QUEUE_SECONDS: '60', LOG_LEVEL: 'silent', ...environment })
  const store = await openInMemory(randomBytes(32))
  let close = store.close
  let aheadMilliseconds = 0
  const now = () => Date.now() + aheadMilliseconds
  let cachesAheadMilliseconds = 0
  const cacheNow = () => systemClock.cacheNow() + cachesAheadMilliseconds
  const providers: { close: () => Promise<void> }[] = []
  const records: ProvenRecords = new Map()
  const mails: Mail[] = []
  const outbox = new EventEmitter().setMaxListeners(0)
  const sendMail = async (mail: Mail) => {
    mails.push(mail)
    outbox.emit('mail')
  }
  try {
    const port = environment.PORT ? config.port : await freePort()
    const baseUrl = `http://${host}:${port}`
    const log = pino({ level: config.logLevel })
    const privateIssuers = [...config.privateIssuers]
    const usher = await buildUsher({ ...config, port, baseUrl, privateIssuers }, store, {
      log,
      clock: { now, cacheNow },
      dns: async (name) => {
        const texts = records.get(name) ?? (await dns?.(name)) ?? []
        return texts.map((text) => [text])
      },
      sendMail: config.mail.smtpUrl ? undefined : sendMail,
    })
    close = async () => {
      await Promise.all(providers.map((provider) => provider.close()))
      await usher.close()
    }
    await usher.app.listen({ host, port })

    const create = databaseCreator(store, now)
    const firstDatabase = await create(first)
    const context = { store, now, deliver: () => undefined }
    /** Lets the server use a provider at once, and stops it with the server. */
    function offered<Started extends StartedProvider>({ close, ...provider }: Started) {
      providers.push({ close })
      privateIssuers.push(provider.issuer)
      cachesAheadMilliseconds += connectionMilliseconds
      return provider
    }
    let stopping: Promise<void> | undefined
    return {
      baseUrl,
      ...firstDatabase,
      createDatabase: async (options = {}) => ({
        baseUrl,
        ...(await create(options).catch(rejectOptions('createDatabase'))),
      }),
      createApiKey: (options = {}) =>
        newApiKey(context, { ...firstDatabase, ...options }).catch(rejectOptions('createApiKey')),
      async addProvider(options) {
        const adding = addProvider({ context, baseUrl }, { ...firstDatabase, ...options })
        return offered(await adding.catch(rejectOptions('addProvider')))
      },
      async addTenantProvider(options) {
        const adding = addTenantProvider({ context, baseUrl, records }, { ...firstDatabase, ...options })
        return offered(await adding.catch(rejectOptions('addTenantProvider')))
      },
      async mailTo(address) {
        for (;;) {
          const index = mails.findIndex(({ to }) => to === address)
          const [mail] = index < 0 ? [] : mails.splice(index, 1)
          if (mail) return { subject: mail.subject, text: mail.text, html: mail.html }
          await once(outbox, 'mail')
        }
      },
      now,
      advanceSeconds(seconds) {
        if (!Number.isFinite(seconds) || seconds < 0)
          throw new TypeError('advanceSeconds: seconds must be a number that is not negative')
        aheadMilliseconds += seconds * 1000
      },
      stop() {
        stopping ??= close()
        return stopping
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function freePort() {
  const probe = createServer().listen(0, host)
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
