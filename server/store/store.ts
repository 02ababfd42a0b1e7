import { PrismaClient } from './generated/client.js'
import type { KeyFile } from './key-file.js'

/** Usher's own Postgres, open: the embedded one or a server. The same above this line for both. */
export interface Store {
  prisma: PrismaClient
  /**
   * The rows of a statement of our own, past Prisma, which costs more than Postgres takes for it.
   *
   * @param text one of few: it is prepared once for each connection
   * @throws errors of Postgres with its SQLSTATE as `code`
   */
  query<Row>(text: string, values: unknown[]): Promise<Row[]>
  /** Seals the private halves of signing keys: 32 bytes. */
  masterKey: Buffer
  /** Where the embedded store keeps its master key; absent where the settings gave one. */
  keyFile?: KeyFile
  /** Of a server: how many connections are open, how many of them idle, how many statements wait for one. */
  connections?: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** The Prisma client over the adapter of a store. */
export const prismaOver = (adapter: Adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' })

type Adapter = NonNullable<ConstructorParameters<typeof PrismaClient>[0]['adapter']>
