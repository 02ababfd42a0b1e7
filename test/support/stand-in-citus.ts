import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOwnPostgres } from './own-postgres.js'

// npm has no Citus. This extension has the name of Citus and the functions that Usher calls, records their calls like
// Citus and rejects what Citus rejects. It distributes nothing.

const control = "default_version = '0'\nschema = pg_catalog\nrelocatable = false\n"

const script = `
CREATE TABLE pg_dist_partition (
  logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text, colocationid int NOT NULL,
  repmodel "char" NOT NULL);

CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE sql AS $$
  INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, 0, 't') $$;

CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text,
  distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  of_group int;
BEGIN
  IF EXISTS (
    SELECT FROM pg_index WHERE indrelid = table_name AND indisunique AND NOT EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = table_name AND attname = distribution_column AND attnum = ANY (indkey))
  ) THEN
    RAISE 'cannot create constraint on "%"', table_name;
  END IF;
  IF colocate_with = 'none' THEN
    SELECT coalesce(max(colocationid), 0) + 1 INTO of_group FROM pg_dist_partition;
  ELSE
    SELECT colocationid INTO of_group FROM pg_dist_partition
    WHERE logicalrelid = colocate_with::regclass AND partmethod = 'h';
    IF of_group IS NULL THEN RAISE 'relation % is not distributed', colocate_with; END IF;
  END IF;
  INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, of_group, 's');
  PERFORM citus_check_foreign_keys();
END $$;

CREATE FUNCTION citus_check_foreign_keys() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_constraint
    LEFT JOIN pg_dist_partition AS source ON source.logicalrelid = conrelid
    LEFT JOIN pg_dist_partition AS target ON target.logicalrelid = confrelid
    WHERE contype = 'f' AND 'h' IN (source.partmethod, target.partmethod)
      AND (target.partmethod IS NULL OR target.partmethod = 'h' AND source.colocationid IS DISTINCT FROM target.colocationid)
  ) THEN
    RAISE 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table';
  END IF;
END $$;

CREATE FUNCTION citus_ddl_end() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM citus_check_foreign_keys();
END $$;
CREATE EVENT TRIGGER citus_ddl_end ON ddl_command_end WHEN TAG IN ('ALTER TABLE', 'CREATE TABLE')
  EXECUTE FUNCTION citus_ddl_end();
`

/** Starts a Postgres server on which `CREATE EXTENSION citus` creates this extension. */
export async function startStandInCitus() {
  const folder = await mkdtemp(join(tmpdir(), 'usher-citus-'))
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'extension'))
  await writeFile(join(folder, 'extension', 'citus.control'), control)
  await writeFile(join(folder, 'extension', 'citus--0.sql'), script)
  const server = await startOwnPostgres({
    extension_control_path: `${folder}:$system`,
    // For the tables of Citus in pg_catalog.
    allow_system_table_mods: 'on',
  })
  return { ...server, stop: () => server.stop().then(() => rm(folder, { recursive: true })) }
}
