import type { DatabasePath } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { type Config, ConfigError } from './config.js'
import { type Clock, systemClock } from './domain/clock.js'
import { type AppContext, createContext } from './domain/context.js'
import { createMailer, type SendMail } from './domain/mail/mailer.js'
import { loadTemplates } from './domain/mail/templates.js'
import { createDatabase } from './domain/management/databases.js'
import { requireMasterKey } from './domain/management/keys/require-master-key.js'
import { ensureWorkspace } from './domain/management/workspaces.js'
import { findSetupLink } from './domain/operators/first-operator.js'
import { ensureOperatorsDatabase, moveConsole } from './domain/operators/operators-database.js'
import { createReporter, type Report } from './domain/operators/servers/report.js'
import { createStatusStore, type ServerStatus } from './domain/operators/servers/status.js'
import { startDelivery } from './domain/outbox/delivery.js'
import type { DeliveryIntervals } from './domain/outbox/intervals.js'
import { createStatistics } from './domain/outbox/statistics.js'
import { createWebhookSender } from './domain/outbox/webhook.js'
import { openBlocklist } from './domain/passwords/blocklist.js'
import type { Hasher } from './domain/passwords/hasher.js'
import { DailyCounts, startStoringCounts } from './domain/statistics/daily-counts.js'
import { startSweep } from './domain/sweep/sweep.js'
import type { ResolveTxt } from './domain/text-records.js'
import { buildApp } from './http/app.js'
import { isDistributed } from './store/citus/tables.js'
import { shareByWorker } from './store/citus/worker-shares.js'
import { ifStoreUnavailable, isStoreUnavailable, isTlsFailure } from './store/errors.js'
import { nodesOf, openStore, requireMigrated, type StoreEvents } from './store/open.js'
import { findOldestDatabase } from './store/queries/databases.js'
import { requireSupported } from './store/require-supported.js'
import type { Store } from './store/store.js'
import { auditCounter } from './telemetry/audit.js'
import { loggedError } from './telemetry/logged-error.js'

export { type Config, ConfigError, loadConfig } from './config.js'

export interface Usher {
  /** The Fastify application. Call `app.listen()` or `app.inject()`. */
  app: FastifyInstance
  /** The application of the management API. Undefined if `app` has it too. */
  managementApp: FastifyInstance | undefined
  context: AppContext
  /** Undefined if the configuration has no port for metrics. */
  metrics: Registry | undefined
  /** Returns what this process does, and what it has done since the last report. */
  report: () => Report
  /** Stores the status of the server of this process for the console, until this process closes. */
  putStatus: (server: ServerStatus) => Promise<void>
  /** Path of the embedded store's oldest database, which is created in an empty store. */
  firstDatabase: DatabasePath | undefined
  /** Where the first operator is created. Undefined if there is an operator, or no console. */
  setupLink: string | undefined
  /** Stops accepting requests, finishes those in flight, and closes the store. */
  close(): Promise<void>
}

export interface StartOptions {
  log: Logger
  clock?: Clock
  /** Intervals of deliveries that differ from the usual ones. */
  intervals?: DeliveryIntervals
  /** Hashes passwords. By default on threads of its own. */
  hashing?: Hasher | undefined
  /** Asks DNS for TXT records. By default the servers of this machine. */
  dns?: ResolveTxt | undefined
  /** Sends mails. By default they are sent by SMTP or written to files. */
  sendMail?: SendMail | undefined
}

/**
 * Starts a server: opens the store and creates all parts that use it.
 *
 * @throws if the store's folder is in use, the store is not supported or not migrated, TLS to it fails, the master key is wrong, the
 * password blocklist or a mail template is invalid, or the console has moved from where operators have passkeys. Everything is closed
 * then. If Postgres is unreachable, the server starts, and returns 503 until Postgres is reachable
 */
export async function startUsher(config: Config, options: StartOptions): Promise<Usher> {
  const { log, clock = systemClock } = options
  const opened = await openStore(config, storeEvents(log))
  try {
    const store = await requireUsable(opened, config, log)
    const firstDatabase = config.databaseUrl ? undefined : await requireFirstDatabase(store, clock.now)
    await requireOperatorsDatabase(store, config, { log, now: clock.now })
    const usher = await buildUsher(config, store, options)
    const setupLink =
      config.console && (await findSetupLink(usher.context).catch(ifStoreUnavailable(undefined)))
    return { ...usher, firstDatabase, setupLink }
  } catch (error) {
    await opened.close()
    throw error
  }
}

const storeEvents = (log: Logger): StoreEvents => ({
  onConnectionError: (err) => log.warn({ err }, 'store connection lost'),
  warn: (text) => log.warn(text),
})

/** Builds a server on an open store, which closes with the server. */
export async function buildUsher(
  config: Config,
  store: Store,
  options: StartOptions,
): Promise<Omit<Usher, 'firstDatabase' | 'setupLink'>> {
  const { log: output, clock = systemClock, intervals, hashing, dns } = options
  const { sendMail = createMailer(config.mail, output) } = options
  const log = output.child({}, { serializers: { err: loggedError } })
  const templates = await loadTemplates(config.mail.templates)
  const blocklist = await openBlocklist(config.passwordBlocklistFile)
  const connections = { connections: config.storeConnections, nodes: await nodesOf(config, storeEvents(log)) }
  const context = createContext(config, shareByWorker(store, connections), {
    clock,
    blocklist,
    hashing,
    dns,
  })
  const statistics = createStatistics()
  const counts = new DailyCounts(context.now)
  // The logs of requests inherit it.
  Object.assign(log, { [auditCounter]: counts })
  const storingCounts = startStoringCounts(context.store, counts, log)
  const status = createStatusStore(context, log)
  const metrics = config.metrics && (await import('./metrics/metrics.js')).createMetrics(context, statistics)
  const outputs = { log, metrics }
  const isApart = config.managementPort !== undefined
  const app = await buildApp(isApart ? { ...config, parts: ['public'] } : config, context, outputs)
  const managementApp = isApart
    ? await buildApp({ ...config, parts: ['management'] }, context, outputs)
    : undefined
  const sweep = startSweep(context, log)
  const delivery = startDelivery(context, {
    mail: { templates, from: config.mail.from, sendMail },
    sendWebhook: createWebhookSender(config),
    log,
    statistics,
    counts,
    intervals,
  })
  context.deliver = delivery.deliver
  return {
    app,
    managementApp,
    context,
    metrics: metrics?.registry,
    report: createReporter(context, statistics),
    putStatus: status.put,
    async close() {
      await Promise.all([app.close(), managementApp?.close()])
      await Promise.all([sweep.stop(), delivery.stop()])
      await Promise.all([storingCounts.stop(), status.remove()])
      await Promise.all([context.hashing.close(), context.store.close(), blocklist?.close()])
    },
  }
}

/** Throws if a reachable store is not supported, not migrated or not of the kind that is set, or if the master key is wrong. */
async function requireUsable(store: Store, { databaseUrl, storeNodeConnections }: Config, log: Logger) {
  try {
    const warnings = databaseUrl ? await requireSupported(store) : []
    for (const warning of warnings) log.warn(warning)
    if (await store.isReadOnly?.())
      log.warn('the store is read-only; changes return 503 until it accepts them')
    await requireMigrated(store)
    if (storeNodeConnections && !(await isDistributed(store))) throw new ConfigError([notDistributed])
    return await requireMasterKey(store)
  } catch (err) {
    if (!isStoreUnavailable(err) || isTlsFailure(err)) throw err
    log.warn({ err }, 'the store is unreachable; returning 503 until it is reachable')
    return store
  }
}

const notDistributed =
  'STORE_NODE_CONNECTIONS needs a distributed store. Run: npx @usher/server store distribute'

/** Creates the operators' database if the server has a console, and keeps its URL. A store that cannot be reached gets it at a later start. */
async function requireOperatorsDatabase(
  store: Store,
  { console, consoleUrl }: Config,
  { log, now }: { log: Logger; now: () => number },
) {
  if (!console) return
  try {
    await ensureOperatorsDatabase({ store, now: new Date(now()), consoleUrl })
    await moveConsole(store, consoleUrl)
  } catch (err) {
    if (!isStoreUnavailable(err)) throw err
    log.warn({ err }, 'the operators’ database was not looked for; start again to use the console')
  }
}

/** Where `npm run example` serves the example app, to which the links in mails of the first database lead. */
const exampleUrl = 'http://localhost:5173'

/** Returns the oldest database, which is created in an empty store. */
async function requireFirstDatabase(store: Store, now: () => number) {
  const oldest = await findOldestDatabase(store)
  if (oldest) return oldest
  const path = { workspaceSlug: 'demo', databaseName: 'app' }
  await ensureWorkspace(store, path.workspaceSlug, new Date(now()))
  await createDatabase({ store, now: new Date(now()) }, path, { appUrl: exampleUrl })
  return path
}
