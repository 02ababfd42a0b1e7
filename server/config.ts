import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import { Environment } from './environment.js'

/** Half of the cores serve. The other half is for hashing and for other processes of the machine. */
const defaultWorkers = () => Math.max(1, Math.floor(availableParallelism() / 2))

/** Half of Postgres's default max_connections, which leaves room for a second server. */
const maxDefaultConnections = 50

/** Returns whether a host is this machine: loopback, or the folder of a socket. */
const isLocal = (host: string) => /^$|^\/|^localhost$|^127[\d.]+$|^\[?::1\]?$/.test(host)

/** Returns whether passwords and hashes would cross a network unencrypted. */
function isUnencrypted({ hostname, searchParams }: URL) {
  if (isLocal(decodeURIComponent(searchParams.get('host') ?? hostname))) return false
  const mode = searchParams.getAll('sslmode').at(-1)
  if (mode) return mode === 'disable'
  const asksForTls =
    ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams.has(name)) ||
    ['true', '1'].includes(searchParams.getAll('ssl').at(-1) ?? '')
  return !asksForTls
}

/** Returns whether codes in mails may cross a network unencrypted: an attacker there can hide that the server offers TLS. */
const mayBeUnencrypted = ({ protocol, hostname, searchParams }: URL) =>
  protocol === 'smtp:' &&
  !isLocal(hostname) &&
  (searchParams.getAll('requireTLS').at(-1) !== 'true' || searchParams.getAll('ignoreTLS').at(-1) === 'true')

/**
 * Returns whether only this machine reaches the server, as far as the settings say. A proxy on this machine can pass requests on without
 * a trace of it.
 */
const isForThisMachine = ({ BASE_URL, CONSOLE_URL, TRUST_PROXY }: z.output<typeof Environment>) =>
  TRUST_PROXY === 0 && [BASE_URL, CONSOLE_URL].every((url) => !url || isLocal(new URL(url).hostname))

/** Yields the warnings that a server logs at start. */
function* warningsOf(settings: z.output<typeof Environment>) {
  const { DATABASE_URL, SMTP_URL, CONSOLE } = settings
  if (!CONSOLE && !DATABASE_URL && !isForThisMachine(settings))
    yield 'The console is off, because BASE_URL, CONSOLE_URL or TRUST_PROXY says that other machines reach the server. Set CONSOLE=on to serve it to them, or CONSOLE=off'
  if (DATABASE_URL && isUnencrypted(new URL(DATABASE_URL)))
    yield 'DATABASE_URL names another machine without TLS. Add sslmode=verify-full to it'
  if (SMTP_URL && mayBeUnencrypted(new URL(SMTP_URL)))
    yield 'SMTP_URL names another machine without required TLS. Use smtps://, or add requireTLS=true to it'
}

export type Config = Readonly<ReturnType<typeof loadConfig>>

/** Invalid settings. The message has one line per variable, without its value, which may be a secret. */
export class ConfigError extends Error {
  constructor(readonly errors: readonly string[]) {
    super(`invalid configuration:\n${errors.map((error) => `  ${error}`).join('\n')}`)
  }
}

/** Yields the errors of variables that contradict each other. */
function* errorsBetween(
  present: Record<string, string | undefined>,
  settings: z.output<typeof Environment> | undefined,
) {
  if (present.DATABASE_URL && !present.USHER_MASTER_KEY)
    yield 'USHER_MASTER_KEY is required if DATABASE_URL is set: 32 bytes as base64 (openssl rand -base64 32)'
  if (present.STORE_NODE_CONNECTIONS && !present.DATABASE_URL)
    yield 'DATABASE_URL is required if STORE_NODE_CONNECTIONS is set: the URL of a node of a distributed store'
  if (!present.DATABASE_URL && Number(present.WORKERS) > 1)
    yield 'WORKERS must be 1 if DATABASE_URL is not set, because only one process can open the embedded store'
  if (present.SMTP_URL && !present.MAIL_FROM) yield 'MAIL_FROM is required if SMTP_URL is set'
  if (settings && settings.METRICS_PORT === settings.PORT) yield 'METRICS_PORT must differ from PORT'
  const management = settings?.MANAGEMENT_PORT
  if (management !== undefined && management === settings?.PORT) yield 'MANAGEMENT_PORT must differ from PORT'
  if (management !== undefined && management === settings?.METRICS_PORT)
    yield 'MANAGEMENT_PORT must differ from METRICS_PORT'
}

/**
 * Reads settings from environment variables. An empty variable counts as unset.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function loadConfig(env: Record<string, string | undefined>) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = Environment.safeParse(present)
  const errors = result.error?.issues.map(({ path, message }) => `${String(path[0])} ${message}`) ?? []
  errors.push(...errorsBetween(present, result.data))
  if (errors.length > 0 || !result.data) throw new ConfigError([...new Set(errors)])
  const settings = result.data
  const workers = settings.WORKERS ?? (settings.DATABASE_URL ? defaultWorkers() : 1)
  const baseUrl = settings.BASE_URL ?? `http://localhost:${settings.PORT}`
  const hasConsole = settings.CONSOLE
    ? settings.CONSOLE === 'on'
    : !settings.DATABASE_URL && isForThisMachine(settings)
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    /** Port of the management API. Undefined if the port of the API has it too. */
    managementPort: settings.MANAGEMENT_PORT,
    baseUrl,
    /** Where the console is, also for commands of a server that has none. */
    consoleUrl: settings.CONSOLE_URL ?? `${baseUrl}/console`,
    /** Undefined if the server has no console. */
    console: hasConsole
      ? { url: settings.CONSOLE_URL ?? `${baseUrl}/console`, onlyLoopback: settings.CONSOLE === undefined }
      : undefined,
    workers,
    /** Undefined if metrics are off. */
    metrics: settings.METRICS_PORT ? { host: settings.METRICS_HOST, port: settings.METRICS_PORT } : undefined,
    databaseUrl: settings.DATABASE_URL,
    /** Warnings that a server logs at start. */
    warnings: [...warningsOf(settings)],
    storeConnections: settings.STORE_CONNECTIONS ?? Math.min(10 * workers, maxDefaultConnections),
    /** Undefined if all statements go through the node of DATABASE_URL. */
    storeNodeConnections: settings.STORE_NODE_CONNECTIONS,
    dataDir: settings.DATA_DIR,
    /** URL of the server that runs the commands of this machine. Undefined: they run here. */
    server: settings.USHER_SERVER,
    masterKey: settings.USHER_MASTER_KEY,
    newMasterKey: settings.USHER_NEW_MASTER_KEY,
    tokenMaxAgeSeconds: settings.TOKEN_MAX_AGE,
    passwordBlocklistFile: settings.PASSWORD_BLOCKLIST_FILE,
    hashing: {
      memoryKib: settings.ARGON2_MEMORY_KIB,
      passes: settings.ARGON2_PASSES,
      parallelism: settings.ARGON2_PARALLELISM,
      concurrency: settings.HASH_CONCURRENCY,
      queueSeconds: settings.HASH_QUEUE_SECONDS,
    },
    mail: {
      /** Undefined to write mails to files. */
      smtpUrl: settings.SMTP_URL,
      from: settings.MAIL_FROM ?? { name: 'Usher', address: 'usher@localhost' },
      templates: settings.MAIL_TEMPLATES,
      folder: join(settings.DATA_DIR, 'mail'),
    },
    trustedProxies: settings.TRUST_PROXY,
    shutdownDelaySeconds: settings.SHUTDOWN_DELAY_SECONDS,
    corsOrigins: settings.CORS_ORIGINS,
    /** Issuers of identity providers that need not be public. */
    privateIssuers: settings.PRIVATE_ISSUERS ?? [],
    /** Origins of webhooks that need not be public. `*`: all. */
    privateWebhooks: settings.PRIVATE_WEBHOOKS ?? [],
    /** Whether to serve the API reference under /docs. */
    docs: settings.DOCS === 'on',
    logLevel: settings.LOG_LEVEL,
  })
}
