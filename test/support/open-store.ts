import type { PGlite } from '@electric-sql/pglite'
import { connectEmbedded, storeOver } from '../../server/store/connect-embedded.js'
import { connectPostgres, type PostgresSettings } from '../../server/store/connect-postgres.js'
import type { PrismaClient } from '../../server/store/generated/client.js'
import type { Store } from '../../server/store/store.js'

/** A store with Prisma's client, by which tests read and write rows. */
export type OpenStore = Store & { prisma: PrismaClient }

export const withPrisma = async (store: Store): Promise<OpenStore> => ({
  ...store,
  prisma: await store.loadPrisma(),
})

export const openPostgres = (
  url: string,
  masterKey: Buffer,
  options: Omit<PostgresSettings, 'url' | 'masterKey'> = {},
) => withPrisma(connectPostgres({ url, masterKey, ...options }))

export const openEmbedded = async (...settings: Parameters<typeof connectEmbedded>) =>
  withPrisma(await connectEmbedded(...settings))

export const openOver = (pglite: PGlite, masterKey: Buffer) => withPrisma(storeOver(pglite, masterKey))
