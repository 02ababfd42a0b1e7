import { startOwnPostgres } from '../support/own-postgres.js'

/** A logged statement with the values of its parameters. */
export interface Logged {
  sql: string
  /** `$1` first; null for NULL. */
  parameters: (string | null)[]
}

/** Starts a Postgres server that logs each statement. */
export async function startLoggingPostgres() {
  const server = await startOwnPostgres({ log_statement: 'all', log_line_prefix: '@%d@' })
  let log = ''
  const reading = (async () => {
    for await (const line of server.lines()) log += `${line}\n`
  })()

  /** Stops the server and returns the statements of one database. */
  async function stop(database: string): Promise<Logged[]> {
    await server.stop()
    await reading
    return statementsIn(log, database)
  }
  return { url: server.url, stop }
}

/** Parses a log: continuation lines start with a tab, and parameters follow in a DETAIL entry. */
function statementsIn(log: string, database: string) {
  const found: Logged[] = []
  for (const entry of log.split(/^@/m)) {
    const [, of, level, text = ''] = /^(.*?)@(LOG|DETAIL): {2}(.*)\n$/s.exec(entry) ?? []
    if (of !== database) continue
    const [, sql] = /^(?:execute [^:]+|statement): (.*)$/s.exec(text) ?? []
    if (level === 'LOG' && sql) found.push({ sql: sql.replaceAll('\n\t', '\n'), parameters: [] })
    else if (level === 'DETAIL') found.at(-1)?.parameters.push(...parametersOf(text))
  }
  return found
}

const parametersOf = (detail: string) =>
  [...detail.matchAll(/\$\d+ = (?:'((?:[^']|'')*)'|NULL)/g)].map(
    ([, text]) => text?.replaceAll("''", "'") ?? null,
  )
