import pg from 'pg'
import type { Store } from '../../../server/store/store.js'

/** A statement with the values of one execution. */
export interface Sent {
  text: string
  values: unknown[]
}

/** Returns a store that records its statements, each text with the values of its first executions. */
export function recordStatements<Kind extends Store>(store: Kind, executions = 3) {
  const byText = new Map<string, Sent[]>()
  const record = (text: string, values: unknown[]) => {
    const sent = byText.get(text) ?? []
    byText.set(text, sent)
    if (sent.length < executions) sent.push({ text, values })
  }
  const recording: Kind = {
    ...store,
    query: (text, values, milliseconds) => {
      record(text, values)
      return store.query(text, values, milliseconds)
    },
    transaction: (databaseId, work, milliseconds) =>
      store.transaction(
        databaseId,
        (query) =>
          work((text, values) => {
            record(text, values)
            return query(text, values)
          }),
        milliseconds,
      ),
  }
  return { recording, sent: () => [...byText.values()].flat() }
}

/** Returns whether a statement is the search for messages, which visits up to 2,000 databases that have some. */
export const isSearch = (text: string) => /^\s*(WITH RECURSIVE mail_0|SELECT kind, sum\(counted\))/.test(text)

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** What the plan of a statement does. */
export interface StatementPlan {
  /** Tables that are read as a whole. */
  scanned: string[]
  /** Indexes that are read. */
  indexes: string[]
  /** Buffers that one execution reads; undefined if the statement violates a constraint. */
  buffers: number | undefined
}

/** Value of the setting plan_cache_mode. */
export type PlanMode = 'force_generic_plan' | 'force_custom_plan'

/** Executes a statement by its generic plan, as a connection that has prepared it does, and rolls back. */
export const genericPlanOf = (client: pg.Client, statement: Sent) =>
  planOf(client, statement, 'force_generic_plan')

/** Executes a statement by its generic plan or by the plan of its values, and rolls back. */
export async function planOf(
  client: pg.Client,
  { text, values }: Sent,
  mode: PlanMode,
): Promise<StatementPlan> {
  await client.query(`BEGIN; SET LOCAL plan_cache_mode = ${mode}`)
  try {
    await client.query(`PREPARE planned AS ${text}; SAVEPOINT prepared`)
    const execution = `EXECUTE planned${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`
    const run = await explain(client, 'ANALYZE, BUFFERS, TIMING FALSE', execution).catch(async (error) => {
      if (!isIntegrityError(error)) throw error
      await client.query('ROLLBACK TO prepared')
      return explain(client, 'COSTS', execution)
    })
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = run
    const scanned = nodesOf(run).flatMap((node) =>
      node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [],
    )
    const indexes = nodesOf(run).flatMap((node) => node['Index Name'] ?? [])
    return { scanned, indexes, buffers: hit === undefined ? undefined : hit + (read ?? 0) }
  } finally {
    await client.query('ROLLBACK; DEALLOCATE ALL')
  }
}

const isIntegrityError = (error: unknown) => error instanceof pg.DatabaseError && error.code?.startsWith('23')

async function explain(client: pg.Client, options: string, execution: string) {
  const { rows } = await client.query(`EXPLAIN (${options}, FORMAT JSON) ${execution}`)
  return rows[0]['QUERY PLAN'][0].Plan as PlanNode
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const literal = (value: unknown) => (value === null ? 'NULL' : pg.escapeLiteral(textOf(value)))

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `{${value.map((each) => JSON.stringify(textOf(each))).join(',')}}`
  // The driver serializes objects as JSON.
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
