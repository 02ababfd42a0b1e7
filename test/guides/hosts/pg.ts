/** Stands in for `pg`: pools over one connection to a database in this process. */

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[]; rowCount: number }>

let query: Query

/** For the test: sends the statements of all pools there. */
export function connectTo(connection: Query) {
  query = connection
}

class Pool {
  on() {
    return this
  }

  query(text: string, values?: unknown[]) {
    return query(text, values)
  }

  async connect() {
    return {
      query: this.query,
      // Postgres rolls back when the connection is closed.
      release: (isClosed?: boolean) => isClosed && query('ROLLBACK'),
    }
  }
}

// biome-ignore lint/style/noDefaultExport: pg has one
export default { Pool }
