import { query } from '../support/citus.js'

/** The shards of a database, by their tables. */
export const shards = { user: 102001, session: 102002, membership: 102003, tenant: 102004 }

/** The name of every user in the shard. */
export const nameInShard = 'read from the shard'

/**
 * Creates in a plain store what Usher reads of the catalog of Citus, for nodes that are one Postgres behind several
 * ports: all databases are in one shard, on the first node. The tables of its shard are views of the tables. That of the
 * users shows another name, so that a test sees which one was read.
 */
export async function createCitusCatalog(url: string, ports: readonly number[]) {
  const statements = [
    'CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char")',
    `INSERT INTO pg_dist_partition VALUES ('usher."user"', 'h')`,
    'CREATE TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text)',
    'CREATE TABLE pg_dist_placement (shardid bigint, groupid integer)',
    `INSERT INTO pg_dist_placement VALUES (${shards.user}, 1)`,
    'CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text)',
    'CREATE TABLE pg_dist_local_group AS SELECT 1 AS groupid',
    `CREATE FUNCTION get_shard_id_for_distribution_column(regclass, uuid) RETURNS bigint LANGUAGE sql
      AS 'SELECT ${shards.user}::bigint'`,
    ...ports.map(
      (port, index) => `INSERT INTO pg_dist_node VALUES (${index + 1}, '127.0.0.1', ${port}, 'primary')`,
    ),
    ...Object.entries(shards).flatMap(([table, shard]) => [
      `INSERT INTO pg_dist_shard VALUES ('usher."${table}"', ${shard}, '0')`,
      `CREATE VIEW usher."${table}_${shard}" AS SELECT * FROM usher."${table}"`,
    ]),
    `CREATE OR REPLACE VIEW usher.user_${shards.user} AS
      SELECT (jsonb_populate_record(u, '{"preferred_name": "${nameInShard}"}')).* FROM usher."user" AS u`,
  ]
  for (const statement of statements) await query(url, statement)
}
