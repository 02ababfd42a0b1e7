import { PrismaClient } from './generated/client.js'
import type { ServerStore, Store } from './store.js'

/** An open store, and the adapter by which Prisma uses its connections. */
export interface Connected {
  store: ServerStore
  adapter: NonNullable<ConstructorParameters<typeof PrismaClient>[0]['adapter']>
}

/** Adds Prisma's client to an open store. */
export function withPrisma({ store, adapter }: Connected): Store {
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal' })
  return {
    ...store,
    prisma,
    async close() {
      await prisma.$disconnect()
      await store.close()
    },
  }
}
