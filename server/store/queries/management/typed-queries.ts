import type { Prisma } from '../../generated/client.js'
import type { Store } from '../../store.js'

// The statements of this folder are dynamic (filters, pages, partial updates) or serve operators only. They use Prisma's
// typed client, which is loaded when the first of them runs: a start and the requests of users do not pay for it. The
// statements next to this folder are static and on the path of a request; each is a named statement.

/** A store, or an open transaction. */
export interface TypedQueries extends Pick<Store, 'query'> {
  loadPrisma(): Promise<Prisma.TransactionClient>
}

/** Runs statements that are all stored, or none if the work throws. */
export async function inTransaction<Result>(
  store: Store,
  work: (transaction: TypedQueries) => Promise<Result>,
  limits: { maxWait?: number; timeout?: number } = {},
) {
  const prisma = await store.loadPrisma()
  return prisma.$transaction(
    (transaction) =>
      work({
        query: (text, values) => transaction.$queryRawUnsafe(text, ...values),
        loadPrisma: async () => transaction,
      }),
    limits,
  )
}

/** A page of a listing: at most `limit` rows that follow the row with key `after`. */
export interface Page<Key> {
  limit: number
  after?: Key
}
