import { userInfo } from 'node:os'
import type { DatabasePath } from '@usher/contract'
import { pino } from 'pino'
import { type Config, loadConfig } from '../../config.js'
import type { ChangeContext, ChangeRequest } from '../../domain/change.js'
import type { RuleDatabase } from '../../domain/databases/find-database.js'
import { findDatabase } from '../../domain/management/databases.js'
import { requireMasterKey } from '../../domain/management/keys/require-master-key.js'
import { Throttle } from '../../domain/throttle/login-throttle.js'
import { openForMigration, openStore, requireMigrated, requireStore } from '../../store/open.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { readEnvFile, withSecretFiles } from './environment-files.js'
import { jsonText } from './output.js'

/**
 * Reads the settings from the environment and, where it lacks a variable, from `.env`. Nothing else reads them.
 *
 * @param overrides settings given on the command line
 */
export const readConfig = (overrides: Record<string, string> = {}) =>
  // biome-ignore lint/style/noProcessEnv: read here and handed on as Config
  loadConfig({ ...withSecretFiles({ ...readEnvFile(), ...process.env }), ...overrides })

type StoreCommand = (store: Store, config: Config, log: Log) => Promise<void>

/** Runs a command on the store, which must exist and be migrated, and closes the store. */
export async function withStore(command: StoreCommand) {
  await requireStore(readConfig())
  await withNewStore(command)
}

/** What a command on one database gets: what rules of changes need, by an operator. */
export interface DatabaseCommand {
  context: ChangeContext & { store: Store; throttle: Throttle }
  config: Config
  request: ChangeRequest
  database: RuleDatabase
}

/** Runs a command on a database, which must exist. */
export const withDatabase = (path: DatabasePath, command: (on: DatabaseCommand) => Promise<void>) =>
  withStore(async (store, config, log) => {
    const database = await findDatabase(store, path)
    // A server finds and delivers the messages of commands.
    const now = () => Date.now()
    const context = { store, now, throttle: new Throttle(store, { now }), deliver: () => undefined }
    const request: ChangeRequest = { database, caller: { log }, actor: { kind: 'operator' } }
    await command({ context, config, database, request })
  })

/** Does what {@link withStore} does, but creates the embedded store if necessary. */
export async function withNewStore(command: StoreCommand) {
  const config = readConfig()
  const store = await openStore(config)
  try {
    await requireMigrated(store)
    await command(await requireMasterKey(store), config, await createAuditLog(config))
  } finally {
    await store.close()
  }
}

/** Runs a command that changes tables, without a time limit, on a store that may have pending migrations. */
export async function withUnmigratedStore(command: (store: Store, log: Log) => Promise<void>) {
  const config = readConfig()
  const store = await openForMigration(config)
  try {
    await command(store, await createAuditLog(config))
  } finally {
    await store.close()
  }
}

/**
 * Creates the log of audit lines on stderr, because stdout is for results. Readable on a terminal, otherwise JSON
 * lines.
 */
async function createAuditLog({ logLevel }: Config) {
  const output = process.stderr.isTTY ? await readableOutput() : process.stderr
  return pino({ level: logLevel }, output).child({ operator: operatorName() })
}

async function readableOutput() {
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', singleLine: true })
  return { write: (line: string) => process.stderr.write(format(line)) }
}

/** Returns the name of the operating system's user, or the number of a user without a name. */
export function operatorName(readUser: () => { username: string } = userInfo) {
  try {
    return readUser().username
  } catch {
    return String(process.getuid?.())
  }
}

/** Prints a result: the text, or the value with --json. */
export function print(options: { json?: boolean }, value: unknown, text: string) {
  process.stdout.write(`${options.json ? jsonText(value) : text}\n`)
}
