import { connectPostgres } from './connect-postgres.js'
import { withPrisma } from './prisma.js'
import type { Store } from './store.js'

/** Does what {@link connectPostgres} does, and adds Prisma. */
export const openPostgres = (...settings: Parameters<typeof connectPostgres>): Store =>
  withPrisma(connectPostgres(...settings))
