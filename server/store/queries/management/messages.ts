import type { Prisma } from '../../generated/client.js'
import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

const undelivered = { kind: { not: 'tail' } } satisfies Prisma.MessageWhereInput
const notRetried = { ...undelivered, dueAt: null } satisfies Prisma.MessageWhereInput

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
      ...(onlyNotRetried ? notRetried : undelivered),
      ...(after !== undefined && { id: { gt: after } }),
    },
    orderBy: { id: 'asc' },
    take: limit,
  })
}
