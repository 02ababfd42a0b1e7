import type { DatabasePath } from '@usher/contract'
import { type ClaimSource, type DatabaseSettings, readClaimSource } from '@usher/contract/settings'
import { LRUCache } from 'lru-cache'
import { allDatabases, batchReads, batchReadsOfAll } from '../../store/batched-reads.js'
import { entryLimit } from '../../store/entry-limit.js'
import { type DatabaseFields, findDatabasesByPath, findOperatorsRow } from '../../store/queries/databases.js'
import { findKeysAndHashes, type KeysAndHashes } from '../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../store/store.js'
import { type Clock, systemClock } from '../clock.js'
import { nameOfDatabase } from '../database-name.js'
import { openTokenKey, type TokenKey } from '../keys/signing-keys.js'
import { Problem } from '../problem.js'
import { settingsOf } from './settings.js'

/** A database with the settings that rules need. */
export interface RuleDatabase
  extends DatabasePath,
    Omit<
      DatabaseSettings,
      'tokenMaxAge' | 'sessionIdle' | 'sessionMax' | 'invitationLifetime' | 'claims' | 'claimSources'
    > {
  id: string
  workspaceId: string
  /** Whether its users are the operators of the console. */
  isOperators: boolean
  /** Seconds without a refresh after which a session ends. */
  sessionIdleSeconds: number
  /** Seconds after its login at which a session ends. 0: no sessions. */
  sessionMaxSeconds: number
  /** When the second factor became required. */
  secondFactorRequiredAt: Date | null
  /** Seconds for which an invitation is valid. */
  invitationLifetimeSeconds: number
  /** Claims of all its tokens, in addition to those that Usher sets. */
  claims: object
  /** Claims that come from the user and the tenant of a token. */
  claimSources: readonly ClaimSource[]
  /** One dummy hash per set of hash parameters that its users have or had. */
  dummyHashes: readonly string[]
}

/** A database that issues tokens. */
export interface Database extends RuleDatabase {
  /** `iss` of its tokens: `{BASE_URL}/workspaces/{slug}/databases/{name}`. */
  issuer: string
  tokenMaxAgeSeconds: number
  /** Published keys, newest first. */
  keys: readonly TokenKey[]
}

export interface TokenSettings {
  /** Address of the service, without a slash at the end. */
  baseUrl: string
  /** Default lifetime of tokens. */
  tokenMaxAgeSeconds: number
}

/** Maximum time until this process notices a change by another one. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/**
 * Creates a lookup of databases by their path, which caches them for a few seconds.
 *
 * @returns a function that throws {@link Problem} `database_not_found`, also for an unknown workspace
 */
export function createDatabaseLookup(
  store: Store,
  settings: TokenSettings,
  { cacheNow }: Pick<Clock, 'cacheNow'> = systemClock,
) {
  const findByPath = batchReads<DatabasePath, DatabaseFields>((_all, paths) =>
    findDatabasesByPath(store, paths),
  )
  const findKeys = batchReadsOfAll<{ databaseId: string }, KeysAndHashes>(store, (keys) =>
    findKeysAndHashes(
      store,
      keys.map(({ databaseId }) => databaseId),
    ),
  )
  const cache = new LRUCache<string, Database, DatabasePath>({
    ...entryLimit(cacheEntries),
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    noDeleteOnStaleGet: true,
    fetchMethod: async (_key, stale, { context }) => {
      const found = await findByPath(allDatabases, context)
      const keys = found && (await findKeys({ databaseId: found.id }))
      const row = keys && { ...found, ...keys }
      if (!row || isBeingDeleted(row)) return undefined
      return openDatabase(row, context, { masterKeys: store, settings, opened: stale?.keys })
    },
  })
  return async (path: DatabasePath): Promise<Database> => {
    const key = nameOfDatabase(path)
    const database = cache.get(key) ?? (await cache.fetch(key, { context: path }))
    if (!database) throw new Problem('database_not_found')
    return database
  }
}

/**
 * Creates a lookup of the operators' database, which is never deleted or renamed.
 *
 * @param findDatabase returns it by its path
 * @returns a function that returns undefined if there is none
 */
export function createOperatorsLookup(store: Store, findDatabase: (path: DatabasePath) => Promise<Database>) {
  let found: DatabasePath | undefined
  return async (): Promise<Database | undefined> => {
    found ??= await findOperatorsRow(store)
    return found && findDatabase(found)
  }
}

/** @throws {Problem} `operators_database` if a database is that of the operators */
export function refuseOperators({ isOperators }: { isOperators: boolean }, what: string) {
  if (isOperators) throw new Problem('operators_database', { detail: `The operators’ database ${what}.` })
}

/** Returns a database with its keys, or undefined. */
export async function findDatabaseRow(store: Queries, path: DatabasePath): Promise<DatabaseRow | undefined> {
  const [found] = await findDatabasesByPath(store, [path])
  if (!found) return undefined
  const [keys] = await findKeysAndHashes(store, [found.id])
  return keys && { ...found, ...keys }
}

export type DatabaseRow = DatabaseFields & KeysAndHashes

/** The address of a database is also the `iss` of its tokens. */
export const databaseUrl = (baseUrl: string, { workspaceSlug, databaseName }: DatabasePath) =>
  `${baseUrl}/workspaces/${workspaceSlug}/databases/${databaseName}`

/** What is needed to open the keys of a database. */
interface Opening {
  masterKeys: MasterKeys
  settings: TokenSettings
  /** Keys from an earlier read, which have cached the tokens that they verified. */
  opened?: readonly TokenKey[] | undefined
}

/** Returns a database for rules that issue no token. */
export const ruleDatabase = (
  row: DatabaseRow,
  { workspaceSlug, databaseName }: DatabasePath,
): RuleDatabase => ({
  workspaceSlug,
  databaseName,
  id: row.id,
  workspaceId: row.workspaceId,
  isOperators: row.isOperators,
  ...settingsOf(row),
  sessionIdleSeconds: row.sessionIdle,
  sessionMaxSeconds: row.sessionMax,
  secondFactorRequiredAt: row.secondFactorRequiredAt,
  invitationLifetimeSeconds: row.invitationLifetime,
  claims: Object(row.claims),
  // A later version may have stored one that this version does not know.
  claimSources: row.claimSources.flatMap((text) => readClaimSource(text) ?? []),
  dummyHashes: row.dummyHashes,
})

function openDatabase(
  row: DatabaseRow,
  path: DatabasePath,
  { masterKeys, settings, opened = [] }: Opening,
): Database {
  const issuer = databaseUrl(settings.baseUrl, path)
  return {
    ...ruleDatabase(row, path),
    issuer,
    tokenMaxAgeSeconds: row.tokenMaxAge ?? settings.tokenMaxAgeSeconds,
    keys: row.signingKeys.map((key) => ({
      ...(opened.find(({ kid }) => kid === key.kid) ?? openTokenKey(key, masterKeys, issuer)),
      activatesAt: key.activatesAt,
      retiresAt: key.retiresAt,
    })),
  }
}

/** Returns a function that opens the keys of a database that was just read. */
export const databaseOpener =
  (masterKeys: MasterKeys, settings: TokenSettings) => (row: DatabaseRow, path: DatabasePath) =>
    openDatabase(row, path, { masterKeys, settings })

/** Returns whether a database has no keys: it is created with its first key, and its deletion begins with the keys. */
export const isBeingDeleted = (database: { signingKeys: readonly unknown[] }) =>
  database.signingKeys.length === 0

/** @throws {Problem} if a database has no URL for the links of mails */
export function requireAppUrl(database: Pick<RuleDatabase, 'appUrl' | 'workspaceSlug' | 'databaseName'>) {
  if (database.appUrl !== null) return
  throw new Problem('app_url_missing', {
    detail: 'The database has no app URL.',
    about: nameOfDatabase(database),
  })
}

/** @throws {Problem} if a database sends no mails with codes */
export function requireCodeMails(database: RuleDatabase) {
  requireAccountOperations(database)
  requireAppUrl(database)
}

/** @throws {Problem} if the account operations of a database are off */
export function requireAccountOperations(database: RuleDatabase) {
  if (database.accountOperations) return
  throw new Problem('account_operations_off', {
    detail: 'Account operations are off.',
    about: nameOfDatabase(database),
  })
}

/** Returns what the mail of a login by mail has. A database without app URL sends no mails. */
export const loginMailOf = ({ loginMail, appUrl }: Pick<RuleDatabase, 'loginMail' | 'appUrl'>) =>
  appUrl === null ? 'off' : loginMail
