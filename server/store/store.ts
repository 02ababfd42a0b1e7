import type { Prisma, PrismaClient } from './generated/client.js'
import type { KeyFile } from './key-file.js'

type Query = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** The value of a column of type jsonb. */
export type JsonObject = Prisma.InputJsonObject

/** The keys that encrypt private keys and secrets, of 32 bytes each. */
export interface MasterKeys {
  readonly masterKey: Buffer
  /** Its successor, until `usher keys rewrap` has re-encrypted everything with it. */
  readonly newMasterKey?: Buffer | undefined
}

/** What runs statements: a store, or an open transaction. */
export type Queries = Pick<Store, 'query'>

/** What also runs transactions. */
export type Transactions = Pick<Store, 'query' | 'transaction'>

/** An open store: embedded, or on a Postgres server. */
export interface Store extends MasterKeys {
  /**
   * Runs a statement without Prisma, whose overhead is larger than the time of Postgres.
   *
   * @param text one of few texts, because each is prepared once per connection
   * @param milliseconds time limit, if shorter than the store's own
   * @throws Postgres errors with their SQLSTATE as `code`
   */
  query<Row>(text: string, values: unknown[], milliseconds?: number): Promise<Row[]>
  /**
   * Runs statements on one database in a transaction, which is rolled back if the work throws.
   *
   * @param milliseconds time limit of each, if shorter than the store's own
   */
  transaction<Result>(
    databaseId: string,
    work: (query: Query) => Promise<Result>,
    milliseconds?: number,
  ): Promise<Result>
  /**
   * Returns whether a statement may read rows of several databases: not on Citus, where they are on several nodes. False until
   * that is known, which it is after the first statement.
   */
  readsAcrossDatabases(): boolean
  /** The file of the embedded store's master key. Undefined if the settings have a master key. */
  keyFile?: KeyFile
  /** Returns the number of connections to a server, at most how many there can be, and the statements that wait for one. */
  connections?: () => { total: number; idle: number; waiting: number; max: number }
  /** Returns whether a server refuses changes, such as a former primary. Then closes the connections to it. */
  isReadOnly?: () => Promise<boolean>
  /** Returns Prisma's client. The first call loads it, because that takes a sixth of the time of a start. */
  loadPrisma(): Promise<PrismaClient>
  close(): Promise<void>
}
