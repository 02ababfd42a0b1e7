import pg from 'pg'

declare module 'pg' {
  interface ClientBase {
    /** Returns the parameters of the startup message. */
    getStartupConf(): Record<string, string>
  }
}

/**
 * A connection in time zone UTC, because Prisma's adapter drops the offset of a timestamptz. PgBouncer tracks this
 * parameter per client, but no parameter within `options`.
 */
export class UtcClient extends pg.Client {
  override getStartupConf() {
    return { ...super.getStartupConf(), TimeZone: 'UTC' }
  }
}
