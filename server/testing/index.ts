import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { DatabasePath } from '@usher/contract'
import { pino } from 'pino'
import { loadConfig } from '../config.js'
import { type ChangeContext, runChange } from '../domain/change.js'
import { systemClock } from '../domain/clock.js'
import { mailSettings } from '../domain/databases/mail-settings.js'
import type { Mail } from '../domain/mail/mailer.js'
import { createApiKey } from '../domain/management/api-keys.js'
import { createDatabase, findDatabase } from '../domain/management/databases.js'
import { changeMailSettings } from '../domain/management/mail-settings.js'
import { ensureWorkspace } from '../domain/management/workspaces.js'
import { buildUsher } from '../index.js'
import { openInMemory } from '../store/in-memory.js'
import type { Store } from '../store/store.js'
import { cheapHashes } from './cheap-hashes.js'
import { ApiKeyOptions, DatabaseOptions, rejectOptions, StartOptions } from './options.js'

export type { ApiKeyOptions, DatabaseOptions, StartOptions } from './options.js'

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
  const { settings: environment, ...first } = StartOptions.parse(options)
  // The long queue prevents shed requests on a slow machine.
  const config = loadConfig({ ...cheapHashes, HASH_QUEUE_SECONDS: '60', LOG_LEVEL: 'silent', ...environment })
  const store = await openInMemory(randomBytes(32))
  let close = store.close
  let aheadMilliseconds = 0
  const now = () => Date.now() + aheadMilliseconds
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
    const usher = await buildUsher({ ...config, port, baseUrl }, store, {
      log,
      clock: { ...systemClock, now },
      sendMail: config.mail.smtpUrl ? undefined : sendMail,
    })
    close = usher.close
    await usher.app.listen({ host, port })

    const create = databaseCreator(store, now)
    const firstDatabase = await create(first)
    let stopping: Promise<void> | undefined
    return {
      baseUrl,
      ...firstDatabase,
      createDatabase: async (options = {}) => ({
        baseUrl,
        ...(await create(options).catch(rejectOptions('createDatabase'))),
      }),
      createApiKey: (options = {}) =>
        newApiKey({ store, now, deliver: () => undefined }, { ...firstDatabase, ...options }).catch(
          rejectOptions('createApiKey'),
        ),
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

/** Returns a function that creates a database, and its workspace if necessary. */
function databaseCreator(store: Store, now: () => number) {
  let count = 0
  return async (options: DatabaseOptions) => {
    count += 1
    const {
      workspace = 'demo',
      database = count === 1 ? 'app' : `app-${count}`,
      tokenMaxAgeSeconds = null,
      appUrl = 'https://app.example.com',
      // All users of a test come from one network.
      signUpsPerHour = 0,
      ...others
    } = DatabaseOptions.parse(options)
    const isOfMails = (name: string) => name === 'mailTemplates' || Object.hasOwn(mailSettings, name)
    const [mails, settings] = [true, false].map((is) =>
      Object.fromEntries(Object.entries(others).filter(([name]) => isOfMails(name) === is)),
    )
    const path = { workspaceSlug: workspace, databaseName: database }
    const createdAt = new Date(now())
    await ensureWorkspace(store, workspace, createdAt)
    await createDatabase({ store, now: createdAt }, path, {
      ...settings,
      tokenMaxAge: tokenMaxAgeSeconds,
      appUrl,
      signUpsPerHour,
    })
    if (Object.keys(mails ?? {}).length > 0)
      await runChange(
        { store, now, deliver: () => undefined },
        await requestOfOperator(store, path),
        (change) => changeMailSettings(change, mails ?? {}),
      )
    return { workspace, database }
  }
}

const requestOfOperator = async (store: Store, path: DatabasePath) => ({
  database: await findDatabase(store, path),
  caller: { log: pino({ level: 'silent' }) },
  actor: { kind: 'operator' } as const,
})

async function newApiKey(context: ChangeContext & { store: Store }, options: unknown) {
  const { workspace: workspaceSlug, database: databaseName, scopes } = ApiKeyOptions.parse(options)
  const request = await requestOfOperator(context.store, { workspaceSlug, databaseName })
  const described = { name: 'test', scopes, expiresInSeconds: 365 * 86_400 }
  return (await runChange(context, request, (change) => createApiKey(change, described))).key
}

async function freePort() {
  const probe = createServer().listen(0, host)
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
