import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { UtcClient } from '../../../server/store/connect-postgres.js'
import { lazyPrisma } from '../../../server/store/prisma.js'

/** What Citus sent to a node for a statement. */
export interface Sent {
  sql: string
  node: string
}

/** Settings with which Citus reports to a session what it sends. */
export const recorded = '-c plan_cache_mode=auto -c citus.log_remote_commands=on'

/** Returns what Citus sent, by a message of it. Undefined for other messages. */
export function sentBy({
  message = '',
  detail = '',
}: {
  message?: string | undefined
  detail?: string | undefined
}) {
  const [, sql] = /^issuing (.*)$/s.exec(message) ?? []
  const [, node] = /on server \S+@(\S+)/.exec(detail) ?? []
  return sql && node ? { sql, node } : undefined
}

type Query = (...parameters: unknown[]) => unknown

/** Creates Prisma's client on one connection. It records each statement with what Citus sent for it. */
export function recordingPrisma(url: string, record: (text: string, sent: Sent[]) => void) {
  const pool = new pg.Pool({ connectionString: url, max: 1, options: recorded, Client: UtcClient })
  pool.on('connect', (client) => {
    let sent: Sent[] = []
    client.on('notice', (notice) => {
      const one = sentBy(notice)
      if (one) sent.push(one)
    })
    const query = client.query.bind(client) as Query
    const recording: Query = (...parameters) => {
      const own: Sent[] = []
      sent = own
      const [first] = parameters
      const { text } = typeof first === 'string' ? { text: first } : (first as { text: string })
      const callback = parameters.at(-1)
      if (typeof callback !== 'function')
        return (query(...parameters) as Promise<unknown>).finally(() => record(text, own))
      return query(...parameters.slice(0, -1), (...results: unknown[]) => {
        record(text, own)
        callback(...results)
      })
    }
    Object.assign(client, { query: recording })
  })
  const { loadPrisma, disconnect } = lazyPrisma(async () => new PrismaPg(pool, { schema: 'usher' }))
  return { loadPrisma, close: () => disconnect().then(() => pool.end()) }
}
