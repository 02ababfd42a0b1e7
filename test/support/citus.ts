import pg from 'pg'
import { databaseUrl } from './postgres-server.js'

// A store on Citus is one database on every node. The database on the coordinator has a list of the others.

/** Creates a database on every node, the coordinator first, and joins them. Returns its URL on the coordinator. */
export async function createCitusDatabase(nodes: readonly string[], name: string): Promise<string> {
  for (const node of nodes) {
    await query(node, `CREATE DATABASE ${name}`)
    await query(databaseUrl(node, name), 'CREATE EXTENSION citus')
  }
  const [coordinator = '', ...workers] = nodes
  const url = databaseUrl(coordinator, name)
  const { hostname, port } = new URL(url)
  await query(url, 'SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)])
  for (const worker of workers) await addWorker(url, worker)
  return url
}

/** Adds a worker to a database that has the extension there. */
export async function addWorker(url: string, worker: string) {
  const { hostname, port } = new URL(worker)
  await query(url, 'SELECT citus_add_node($1, $2)', [hostname, Number(port)])
}

/** The URLs of a database on all nodes, the coordinator first. */
export async function nodesOf(url: string): Promise<string[]> {
  const nodes = await query<{ nodename: string; nodeport: number }>(
    url,
    'SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid',
  )
  return nodes.map(({ nodename, nodeport }) => {
    const node = new URL(url)
    node.host = `${nodename}:${nodeport}`
    return node.href
  })
}

/** Ends the connections to a database, including those of Citus, so that it can be used as a template. */
export async function closeToConnections(nodes: readonly string[], name: string) {
  for (const node of nodes) {
    await query(node, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await query(node, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  }
}

/** Runs one statement on a separate connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
