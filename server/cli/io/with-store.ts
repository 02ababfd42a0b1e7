import { pino } from 'pino'
import { type Config, loadConfig } from '../../config.js'
import { requireMasterKey } from '../../domain/admin/master-key.js'
import { openForMigration, openStore, requireMigrated } from '../../store/open.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { withSecretFiles } from './secret-files.js'

/**
 * Settings from this process's environment: the one place that reads it.
 *
 * @param given on the command line, in place of the environment's
 */
export const readConfig = (given: Record<string, string> = {}) =>
  // biome-ignore lint/style/noProcessEnv: read here and handed on as Config
  loadConfig({ ...withSecretFiles(process.env), ...given })

/**
 * Runs a command on the store, which must be migrated, and closes it.
 *
 * @param work gets a log for the audit trail, which goes to stderr: stdout has results alone
 */
export async function withStore(work: (store: Store, config: Config, log: Log) => Promise<void>) {
  const config = readConfig()
  const store = await openStore(config, () => undefined)
  try {
    await requireMigrated(store)
    await work(await requireMasterKey(store), config, logOf(config))
  } finally {
    await store.close()
  }
}

/** Runs a command that changes the tables of the store: with no limit of time, on one that may lack migrations. */
export async function withTables(work: (store: Store, log: Log) => Promise<void>) {
  const config = readConfig()
  const store = await openForMigration(config)
  try {
    await work(store, logOf(config))
  } finally {
    await store.close()
  }
}

const logOf = (config: Config) => pino({ level: config.logLevel }, process.stderr)

/** Prints a result: the line for people, or with --json the value. */
export function print(options: { json?: boolean }, value: unknown, line: string) {
  process.stdout.write(`${options.json ? JSON.stringify(value) : line}\n`)
}
