import type { Prisma } from '../../generated/client.js'
import type { Store } from '../../store.js'

// The statements of this folder are dynamic (filters, pages, partial updates) or only for operators. They use Prisma's
// typed client. It is loaded when the first of them runs, so that starts and requests of users do not wait for it. The
// statements in the parent folder are static and on the path of a request. Each is a named statement.

/** A store, or an open transaction. */
export interface TypedQueries extends Pick<Store, 'query'> {
  loadPrisma(): Promise<Prisma.TransactionClient>
}

/** Runs statements in a transaction, which is rolled back if the work throws. */
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
