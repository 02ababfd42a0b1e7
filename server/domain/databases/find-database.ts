import type { DatabasePath } from '@usher/contract'
import { LRUCache } from 'lru-cache'
import { v7 as uuidv7 } from 'uuid'
import type { Config } from '../../config.js'
import type { Prisma } from '../../store/generated/client.js'
import type { PasswordPolicy } from '../../store/generated/enums.js'
import type { Store } from '../../store/store.js'
import { OperatorError } from '../admin/operator-error.js'
import type { Page } from '../admin/page.js'
import { requirePathName } from '../admin/path-name.js'
import { generateSigningKey, openTokenKey, type TokenKey } from '../keys/signing-keys.js'
import { Problem } from '../problem.js'

/** A customer's pool of users, with what is needed to serve it. */
export interface Database {
  id: string
  /** `iss` of its tokens: `{BASE_URL}/workspaces/{slug}/databases/{name}`. */
  issuer: string
  passwordPolicy: PasswordPolicy
  tokenMaxAgeSeconds: number
  /** One hash for each shape that its users have or had; no password matches them. */
  dummyHashes: readonly string[]
  /** Published keys; the one that signs last first. */
  keys: readonly TokenKey[]
}

/** How long a change by another process may go unseen. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/**
 * Finds databases by their path and keeps those found for a few seconds.
 *
 * @param settings where the service is reached, and the lifetime of tokens where the database has none of its own
 * @returns a function that throws {@link Problem} `database_not_found`, the same for an unknown workspace and
 * for an unknown database
 */
export function createDatabaseLookup(store: Store, settings: Pick<Config, 'baseUrl' | 'tokenMaxAgeSeconds'>) {
  const cache = new LRUCache<string, Database, DatabasePath>({
    max: cacheEntries,
    ttl: cacheMilliseconds,
    ttlResolution: 100,
    noDeleteOnStaleGet: true,
    fetchMethod: async (_key, stale, { context }) => {
      const row = await findRow(store, context)
      if (!row || isBeingDeleted(row)) return undefined
      return openDatabase(row, store.masterKey, settings, context, stale?.keys)
    },
  })
  return async (path: DatabasePath): Promise<Database> => {
    const key = `${path.workspaceSlug}/${path.databaseName}`
    const database = cache.get(key) ?? (await cache.fetch(key, { context: path }))
    if (!database) throw new Problem('database_not_found')
    return database
  }
}

/** Of two keys that sign from one moment on, the one that was not replaced is the newer. */
export const newestFirst = [
  { activatesAt: 'desc' },
  { retiresAt: { sort: 'desc', nulls: 'first' } },
] satisfies Prisma.SigningKeyOrderByWithRelationInput[]

const findRow = (store: Store, { workspaceSlug, databaseName }: DatabasePath) =>
  store.prisma.database.findFirst({
    where: { name: databaseName, workspace: { slug: workspaceSlug } },
    include: { signingKeys: { orderBy: newestFirst } },
  })

type DatabaseRow = NonNullable<Awaited<ReturnType<typeof findRow>>>

/** Where a database is reached, which is also the `iss` of its tokens. */
export const databaseUrl = (baseUrl: string, { workspaceSlug, databaseName }: DatabasePath) =>
  `${baseUrl}/workspaces/${workspaceSlug}/databases/${databaseName}`

/** @param opened keys from an earlier reading, which know the tokens that they have verified */
function openDatabase(
  row: DatabaseRow,
  masterKey: Buffer,
  settings: Pick<Config, 'baseUrl' | 'tokenMaxAgeSeconds'>,
  path: DatabasePath,
  opened: readonly TokenKey[] = [],
): Database {
  const issuer = databaseUrl(settings.baseUrl, path)
  return {
    id: row.id,
    issuer,
    passwordPolicy: row.passwordPolicy,
    tokenMaxAgeSeconds: row.tokenMaxAge ?? settings.tokenMaxAgeSeconds,
    dummyHashes: row.dummyHashes,
    keys: row.signingKeys.map((key) => ({
      ...(opened.find(({ kid }) => kid === key.kid) ?? openTokenKey(key, masterKey, issuer)),
      activatesAt: key.activatesAt,
      retiresAt: key.retiresAt,
    })),
  }
}

/** A database is made with its first key, and loses its keys before anything else: see admin/delete-database.ts. */
export const isBeingDeleted = (database: { signingKeys: readonly unknown[] }) =>
  database.signingKeys.length === 0

/** The row of a database for the command line. @throws {OperatorError} where there is none */
export async function requireDatabase(store: Store, path: DatabasePath): Promise<DatabaseRow> {
  const row = await findRow(store, path)
  const name = `${path.workspaceSlug}/${path.databaseName}`
  if (!row) throw new OperatorError(`no database ${name}`)
  if (isBeingDeleted(row)) {
    throw new OperatorError(`database ${name} is being deleted; finish with: usher database delete ${name}`)
  }
  return row
}

/**
 * Makes a database in a workspace, with its first signing key.
 *
 * @throws {OperatorError} where the name is not fit for a path or taken, or the workspace unknown
 */
export async function createDatabase(
  store: Store,
  { workspaceSlug, databaseName }: DatabasePath,
  settings: DatabaseSettings,
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
      ...settings,
      createdAt: now,
    }
    const [created] = await transaction.database.createManyAndReturn({ data, skipDuplicates: true })
    if (!created) throw new OperatorError(`database ${workspaceSlug}/${databaseName} exists already`)
    await transaction.signingKey.create({ data: generateSigningKey(created, store.masterKey, now, now) })
    return created
  })
}

/** What an operator may change of a database; what is absent stays. */
export type DatabaseSettings = Partial<
  Pick<DatabaseRow, 'passwordPolicy' | 'signingAlgorithm' | 'tokenMaxAge'>
>

/** Changes settings of a database; servers follow within seconds. @throws {OperatorError} */
export async function setDatabase(store: Store, path: DatabasePath, settings: DatabaseSettings) {
  const { id } = await requireDatabase(store, path)
  return store.prisma.database.update({ where: { id }, data: settings })
}

/** Databases with the slug of their workspace, in the order of their paths. */
export async function listDatabases(store: Store, { limit, after }: Page<DatabasePath>) {
  const { database, signingKey } = store.prisma
  const rows = await database.findMany({
    where: after && {
      OR: [
        { workspace: { slug: { gt: after.workspaceSlug } } },
        { workspace: { slug: after.workspaceSlug }, name: { gt: after.databaseName } },
      ],
    },
    include: { workspace: true },
    orderBy: [{ workspace: { slug: 'asc' } }, { name: 'asc' }],
    take: limit,
  })
  // One by one: each is on one node of a distributed store, together they are on many.
  const keysOf = ({ id }: { id: string }) =>
    signingKey.findMany({ where: { databaseId: id }, select: { kid: true } })
  return Promise.all(rows.map(async (row) => ({ ...row, signingKeys: await keysOf(row) })))
}
