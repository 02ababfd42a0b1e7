import pg from 'pg'

declare module 'pg' {
  interface ClientBase {
    /** What the first message of a connection says. */
    getStartupConf(): Record<string, string>
  }
}

/**
 * A connection whose times are UTC's, for Prisma's adapter drops the offset of a timestamptz. PgBouncer keeps
 * this parameter for each of its clients, as it does none that is within `options`.
 */
export class UtcClient extends pg.Client {
  override getStartupConf() {
    return { ...super.getStartupConf(), TimeZone: 'UTC' }
  }
}
