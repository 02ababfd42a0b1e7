import type { Prisma } from './generated/client.js'
import type { Store } from './store.js'

/** Lets the statements of queries/ run in a transaction of Prisma. */
export const queriesIn = (transaction: Prisma.TransactionClient): Pick<Store, 'query'> => ({
  query: (text, values) => transaction.$queryRawUnsafe(text, ...values),
})
