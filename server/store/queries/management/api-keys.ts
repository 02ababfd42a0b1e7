import type { ApiKey } from '../../generated/client.js'
import type { TypedQueries } from './typed-queries.js'

const shownColumns = {
  id: true,
  name: true,
  scopes: true,
  lastFour: true,
  createdAt: true,
  expiresAt: true,
  rotatedAt: true,
  lastUsedOn: true,
} as const satisfies Partial<Record<keyof ApiKey, true>>

/** An API key as operators see it. */
export type ShownApiKey = Pick<ApiKey, keyof typeof shownColumns>

type KeyOfRow = Pick<ApiKey, 'databaseId' | 'id'>

/** Returns the keys of a database, the oldest first. */
export async function listApiKeyRows(store: TypedQueries, databaseId: string): Promise<ShownApiKey[]> {
  const { apiKey } = await store.loadPrisma()
  return apiKey.findMany({
    where: { databaseId },
    select: shownColumns,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
}

export async function findApiKeyRow(store: TypedQueries, key: KeyOfRow): Promise<ShownApiKey | null> {
  const { apiKey } = await store.loadPrisma()
  return apiKey.findFirst({ where: key, select: shownColumns })
}

/** Returns the number of keys of a database that are neither expired nor replaced. */
export async function countApiKeys(store: TypedQueries, databaseId: string, now: Date) {
  const { apiKey } = await store.loadPrisma()
  return apiKey.count({ where: { databaseId, rotatedAt: null, expiresAt: { gt: now } } })
}

export async function insertApiKey(store: TypedQueries, data: ApiKey) {
  const { apiKey } = await store.loadPrisma()
  await apiKey.createMany({ data })
}

/** Lets a key expire because a successor replaces it. */
export async function replaceApiKey(
  store: TypedQueries,
  { databaseId, id }: KeyOfRow,
  times: Pick<ApiKey, 'rotatedAt' | 'expiresAt'>,
) {
  const { apiKey } = await store.loadPrisma()
  await apiKey.updateMany({ where: { databaseId, id }, data: times })
}

/** Returns whether there was such a key. */
export async function deleteApiKey(store: TypedQueries, { databaseId, id }: KeyOfRow) {
  const { apiKey } = await store.loadPrisma()
  const { count } = await apiKey.deleteMany({ where: { databaseId, id } })
  return count > 0
}
