import type { Prisma, PrismaClient } from './generated/client.js'
import type { KeyFile } from './key-file.js'

type Query = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** What a column of type jsonb takes. */
export type JsonObject = Prisma.InputJsonObject

/** What seals and opens private keys and secrets: 32 bytes each. */
export interface MasterKeys {
  readonly masterKey: Buffer
  /** Its successor, until `usher keys rewrap` has re-encrypted everything with it. */
  readonly newMasterKey?: Buffer | undefined
}

/** Usher's own Postgres, open: embedded or a server. */
export interface Store extends MasterKeys {
  /**
   * Runs a statement without Prisma, whose overhead exceeds Postgres' own time.
   *
   * @param text one of few: each is prepared once per connection
   * @param milliseconds time limit, if shorter than the store's own
   * @throws Postgres errors with their SQLSTATE as `code`
   */
  query<Row>(text: string, values: unknown[], milliseconds?: number): Promise<Row[]>
  /**
   * Runs statements on one database that are all stored, or none if the work throws.
   *
   * @param milliseconds time limit of each, if shorter than the store's own
   */
  transaction<Result>(
    databaseId: string,
    work: (query: Query) => Promise<Result>,
    milliseconds?: number,
  ): Promise<Result>
  /** The file of the embedded store's master key, unless the settings give one. */
  keyFile?: KeyFile
  /** Counts connections to a server, and statements that wait for one. */
  connections?: () => { total: number; idle: number; waiting: number }
  /** Returns Prisma's client, which is loaded by the first call: that takes a sixth of the time of a start. */
  loadPrisma(): Promise<PrismaClient>
  close(): Promise<void>
}
