import { query } from './citus.js'

const shard = 102001

/**
 * Creates in a plain store what Usher reads of the catalog of Citus, for nodes that are one Postgres behind several
 * ports: all databases are in one shard, on the first node.
 */
export async function createCitusCatalog(url: string, ports: readonly number[]) {
  const statements = [
    'CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char")',
    `INSERT INTO pg_dist_partition VALUES ('usher."user"', 'h')`,
    'CREATE TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text)',
    'CREATE TABLE pg_dist_placement (shardid bigint, groupid integer)',
    `INSERT INTO pg_dist_placement VALUES (${shard}, 1)`,
    `CREATE FUNCTION get_shard_id_for_distribution_column(regclass, uuid) RETURNS bigint LANGUAGE sql
      AS 'SELECT ${shard}::bigint'`,
    ...ports.map(
      (port, index) => `INSERT INTO pg_dist_node VALUES (${index + 1}, '127.0.0.1', ${port}, 'primary')`,
    ),
  ]
  for (const statement of statements) await query(url, statement)
}
