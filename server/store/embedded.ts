import type { PGlite } from '@electric-sql/pglite'
import { connectEmbedded, connectedTo } from './connect-embedded.js'
import { withPrisma } from './prisma.js'
import type { Store } from './store.js'

/** Does what {@link connectEmbedded} does, and adds Prisma. */
export const openEmbedded = async (...settings: Parameters<typeof connectEmbedded>): Promise<Store> =>
  withPrisma(await connectEmbedded(...settings))

/** Returns a store over an open PGlite, and closes it with the store. */
export const storeOver = (pglite: PGlite, masterKey: Buffer): Store =>
  withPrisma(connectedTo(pglite, masterKey))
