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

/** Returns the keys of a database, the oldest first. */
export async function listApiKeyRows(store: TypedQueries, databaseId: string): Promise<ShownApiKey[]> {
  const { apiKey } = await store.loadPrisma()
  return apiKey.findMany({
    where: { databaseId },
    select: shownColumns,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
}
