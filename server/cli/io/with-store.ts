import { pino } from 'pino'
import type { Config } from '../../config.js'
import { requireMasterKey } from '../../domain/management/keys/require-master-key.js'
import { openForMigration, openStore, requireMigrated, requireStore } from '../../store/open.js'
import { requireSupported } from '../../store/require-supported.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { readConfig } from './config.js'
import type { Host } from './host.js'

/**
 * Opens a store that is migrated.
 *
 * @param options.isNew whether to create the embedded store if there is none
 */
export async function openMigratedStore(config: Config, { isNew = false } = {}): Promise<Store> {
  if (!isNew) await requireStore(config)
  const store = await openStore(config)
  try {
    await requireMigrated(store)
    return await requireMasterKey(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Runs a command on the store, which must exist and be migrated, and closes the store. */
export async function withStore(
  host: Host,
  command: (store: Store, config: Config, log: Log) => Promise<void>,
) {
  const config = readConfig()
  const store = await openMigratedStore(config)
  try {
    await command(store, config, await createAuditLog(host, config))
  } finally {
    await store.close()
  }
}

/** Runs a command that changes tables, without a time limit, on a store that may have pending migrations. */
export async function withUnmigratedStore(host: Host, command: (store: Store, log: Log) => Promise<void>) {
  const config = readConfig()
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
 * lines.
 */
export async function createAuditLog(
  host: Host,
  { logLevel: level }: Pick<Config, 'logLevel'>,
): Promise<Log> {
  const output = host.stderr.isTTY ? await readableOutput(host) : host.stderr
  return pino({ level }, output).child({ operator: host.operator })
}

async function readableOutput({ stderr, hasColors }: Host) {
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ colorize: hasColors, ignore: 'pid,hostname', singleLine: true })
  return { write: (line: string) => stderr.write(format(line)) }
}
