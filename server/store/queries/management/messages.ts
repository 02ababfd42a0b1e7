import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

/** Returns undelivered messages, oldest first. */
export async function listMessageRows(
  store: TypedQueries,
  { databaseId, onlyNotRetried }: { databaseId: string; onlyNotRetried: boolean },
  { limit, after }: Page<string>,
) {
  const { message } = await store.loadPrisma()
  return message.findMany({
    where: {
      databaseId,
      ...(onlyNotRetried && { dueAt: null }),
      ...(after !== undefined && { id: { gt: after } }),
    },
    orderBy: { id: 'asc' },
    take: limit,
  })
}
