import type { DatabasePath } from '@usher/contract'
import { pino } from 'pino'
import { type Config, loadConfig } from '../../config.js'
import type { Actor, ChangeContext, ChangeRequest } from '../../domain/change.js'
import { createContext } from '../../domain/context.js'
import type { RuleDatabase } from '../../domain/databases/find-database.js'
import { findDatabase } from '../../domain/management/databases.js'
import { requireMasterKey } from '../../domain/management/keys/require-master-key.js'
import { blocklistOnDemand } from '../../domain/passwords/blocklist.js'
import { createHasher } from '../../domain/passwords/hasher.js'
import { Throttle } from '../../domain/throttle/login-throttle.js'
import { type Call, createHostCall, hostCaller } from '../../run/host.js'
import { openForMigration, openStore, requireMigrated, requireStore } from '../../store/open.js'
import { requireSupported } from '../../store/require-supported.js'
import type { Store } from '../../store/store.js'
import { auditCounter, type Log } from '../../telemetry/audit.js'
import { readEnvFile, withSecretFiles } from './environment-files.js'
import type { Host } from './host.js'

/**
 * Returns the settings of the server that runs the command. Otherwise reads them from the environment and, where it lacks
 * a variable, from `.env`. Nothing else reads them.
 *
 * @param overrides settings given on the command line
 */
export const readConfig = ({ server }: Host, overrides: Record<string, string> = {}) =>
  server?.config ??
  // biome-ignore lint/style/noProcessEnv: read here and handed on as Config
  loadConfig({ ...withSecretFiles({ ...readEnvFile(), ...process.env }), ...overrides })

type StoreCommand = (store: Store, config: Config, log: Log) => Promise<void>

/** Runs a command on the store, which must exist and be migrated, and closes the store. */
export async function withStore(host: Host, command: StoreCommand) {
  if (!host.server) await requireStore(readConfig(host))
  await withNewStore(host, command)
}

/** What a command on one database gets: what rules of changes need, by an operator. */
export interface DatabaseCommand {
  host: Host
  context: ChangeContext & { store: Store; throttle: Throttle }
  config: Config
  request: ChangeRequest
  database: RuleDatabase
}

/** Runs a command on a database, which must exist. */
export const withDatabase = (
  host: Host,
  path: DatabasePath,
  command: (on: DatabaseCommand) => Promise<void>,
) =>
  withStore(host, async (store, config, log) => {
    const database = await findDatabase(store, path)
    // A server finds and delivers the messages of commands.
    const now = () => Date.now()
    const context = { store, now, throttle: new Throttle(store, { now }), deliver: () => undefined }
    const actor: Actor = { kind: 'operator', ...(host.remote && { operator: host.remote }) }
    const request: ChangeRequest = { database, caller: { log }, actor }
    await command({ host, context, config, database, request })
  })

/** Runs a command that sends requests to operations, which run in this process on the store. */
export const withOperations = (host: Host, command: (call: Call, config: Config) => Promise<void>) =>
  withStore(host, async (store, config, log) => {
    const hashing = createHasher({ ...config.hashing, concurrency: 1 }, { isOnDemand: true })
    const blocklist = blocklistOnDemand(config.passwordBlocklistFile)
    const context = createContext(config, store, { hashing, blocklist })
    try {
      await command(createHostCall({ context, caller: hostCaller(log), ...config }), config)
    } finally {
      await Promise.all([hashing.close(), blocklist?.close()])
    }
  })

/** Does what {@link withStore} does, but creates the embedded store if necessary. */
export async function withNewStore(host: Host, command: StoreCommand) {
  const config = readConfig(host)
  const store = host.server?.store ?? (await openStore(config))
  try {
    await requireMigrated(store)
    await command(await requireMasterKey(store), config, await createAuditLog(host, config))
  } finally {
    await store.close()
  }
}

/** Runs a command that changes tables, without a time limit, on a store that may have pending migrations. */
export async function withUnmigratedStore(host: Host, command: (store: Store, log: Log) => Promise<void>) {
  const config = readConfig(host)
  const store = await openForMigration(config)
  try {
    if (config.databaseUrl) await requireSupported(store)
    await command(store, await createAuditLog(host, config))
  } finally {
    await store.close()
  }
}

/**
 * Creates the log of audit lines on stderr, because stdout is for results. Readable on a terminal, otherwise JSON
 * lines. Those of a command of another machine are also in the log of the server.
 */
async function createAuditLog(host: Host, { logLevel: level }: Config): Promise<Log> {
  const { operator, remote } = host
  const output = host.stderr.isTTY ? await readableOutput(host) : host.stderr
  // The name of the server's machine is not for operators of other machines.
  const own = pino({ level, ...(remote && { base: null }) }, output)
  const logs: Log[] = remote ? [own, remote.log] : [own]
  return {
    level,
    info: (...line) => own.info(...line),
    warn: (...line) => own.warn(...line),
    [auditCounter]: remote?.log[auditCounter],
    child(fields, options) {
      const children = logs.map((log) => log.child({ operator, ...fields }, options))
      return { info: (...line) => children.forEach((each) => void each.info(...line)) }
    },
  }
}

async function readableOutput({ stderr, hasColors }: Host) {
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ colorize: hasColors, ignore: 'pid,hostname', singleLine: true })
  return { write: (line: string) => stderr.write(format(line)) }
}
