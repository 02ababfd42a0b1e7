import type { DatabasePath } from '@usher/contract'
import { LRUCache } from 'lru-cache'
import { v7 as uuidv7 } from 'uuid'
import type { PasswordPolicy } from '../store/generated/enums.js'
import type { Store } from '../store/store.js'
import { generateSigningKey, openTokenKey, type TokenKey } from './keys.js'
import { OperatorError } from './operator-error.js'
import { requirePathName } from './path-name.js'
import { Problem } from './problem.js'

/** A customer's pool of users, with what is needed to serve it. */
export interface Database {
  id: string
  /** `iss` of its tokens: `{BASE_URL}/workspaces/{slug}/databases/{name}`. */
  issuer: string
  passwordPolicy: PasswordPolicy
  /** Keys whose tokens are accepted; the newest first. */
  keys: readonly TokenKey[]
  /** The key that signs. */
  signingKey: TokenKey
}

/** How long a change by another process may go unseen. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/**
 * Finds databases by their path and keeps those found for a few seconds.
 *
 * @returns a function that throws {@link Problem} `database_not_found`, the same for an unknown workspace and
 * for an unknown database
 */
export function createDatabaseLookup(store: Store, baseUrl: string) {
  const cache = new LRUCache<string, Database, DatabasePath>({
    max: cacheEntries,
    ttl: cacheMilliseconds,
    fetchMethod: (_key, _stale, { context }) => loadDatabase(store, baseUrl, context),
  })
  return async (path: DatabasePath): Promise<Database> => {
    const key = `${path.workspaceSlug}/${path.databaseName}`
    const database = await cache.fetch(key, { context: path })
    if (!database) throw new Problem('database_not_found')
    return database
  }
}

async function loadDatabase(store: Store, baseUrl: string, { workspaceSlug, databaseName }: DatabasePath) {
  const row = await store.prisma.database.findFirst({
    where: { name: databaseName, workspace: { slug: workspaceSlug } },
    include: { signingKeys: { orderBy: { createdAt: 'desc' } } },
  })
  if (!row) return undefined
  const issuer = `${baseUrl}/workspaces/${workspaceSlug}/databases/${databaseName}`
  const keys = row.signingKeys.map((key) => openTokenKey(key, store.masterKey, issuer))
  const [signingKey] = keys
  if (!signingKey) throw new Error(`database ${row.id} has no signing key`)
  return { id: row.id, issuer, passwordPolicy: row.passwordPolicy, keys, signingKey }
}

/**
 * Makes a database in a workspace, with its first signing key.
 *
 * @throws {OperatorError} where the name is not fit for a path or taken, or the workspace unknown
 */
export async function createDatabase(
  store: Store,
  { workspaceSlug, databaseName }: DatabasePath,
  passwordPolicy: PasswordPolicy,
  now: Date,
) {
  requirePathName('database name', databaseName)
  return store.prisma.$transaction(async (transaction) => {
    const workspace = await transaction.workspace.findUnique({ where: { slug: workspaceSlug } })
    if (!workspace)
      throw new OperatorError(`no workspace ${workspaceSlug}; make it with: usher workspace create`)
    const data = {
      id: uuidv7(),
      workspaceId: workspace.id,
      name: databaseName,
      passwordPolicy,
      createdAt: now,
    }
    const [created] = await transaction.database.createManyAndReturn({ data, skipDuplicates: true })
    if (!created) throw new OperatorError(`database ${workspaceSlug}/${databaseName} exists already`)
    await transaction.signingKey.create({ data: generateSigningKey(created.id, store.masterKey, now) })
    return created
  })
}

/** Every database with the slug of its workspace, in the order of their paths. */
export const listDatabases = (store: Store) =>
  store.prisma.database.findMany({
    include: { workspace: true },
    orderBy: [{ workspace: { slug: 'asc' } }, { name: 'asc' }],
  })
