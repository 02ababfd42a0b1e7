import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { referenceTables } from '../../server/store/citus/tables.js'
import type { OpenStore } from '../support/open-store.js'
import { openTestStore } from '../support/store.js'

/** Returns the violations of the rules for distribution by database_id (docs/scale-out.md). */
async function errorsOf(schema: string): Promise<string[]> {
  const rows = await store.prisma.$queryRaw<{ error: string }[]>`
    WITH tables AS (
      SELECT oid AS relation, relname AS name, relname = ANY (${referenceTables}) AS is_reference
      FROM pg_class
      WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'p') AND relname <> '_prisma_migrations'
    ), distributed AS (
      SELECT * FROM tables WHERE NOT is_reference
    ), foreign_keys AS (
      SELECT conname AS name, confupdtype, confdeltype, conkey, confkey, conrelid, confrelid,
        source.is_reference AS from_reference, target.is_reference AS to_reference
      FROM pg_constraint
      JOIN tables AS source ON source.relation = conrelid
      JOIN tables AS target ON target.relation = confrelid
      WHERE contype = 'f'
    )
    SELECT name || ' has no database_id' AS error FROM distributed
    WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = 'database_id')
    UNION ALL
    SELECT name || ' has a database_id that is no uuid' FROM distributed
    JOIN pg_attribute ON attrelid = relation AND attname = 'database_id' AND atttypid <> 'uuid'::regtype
    UNION ALL
    SELECT name || ' has no primary key' FROM tables
    WHERE NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary)
    UNION ALL
    SELECT indexrelid::regclass || ' does not begin with database_id'
    FROM distributed JOIN pg_index ON indrelid = relation AND (indisunique OR indisexclusion)
    LEFT JOIN pg_attribute ON attrelid = relation AND attnum = indkey[0]
    WHERE attname IS DISTINCT FROM 'database_id'
    UNION ALL
    SELECT name || ' changes its rows on update' FROM foreign_keys WHERE confupdtype IN ('c', 'n', 'd')
    UNION ALL
    SELECT name || ' sets its columns on delete' FROM foreign_keys WHERE confdeltype IN ('n', 'd')
    UNION ALL
    SELECT name || ' goes from a reference table to a distributed one' FROM foreign_keys
    WHERE from_reference AND NOT to_reference
    UNION ALL
    SELECT name || ' does not join by database_id' FROM foreign_keys
    WHERE NOT from_reference AND NOT to_reference AND NOT EXISTS (
      SELECT FROM unnest(conkey, confkey) AS pair (source, target)
      JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = source AND a.attname = 'database_id'
      JOIN pg_attribute AS b ON b.attrelid = confrelid AND b.attnum = target AND b.attname = 'database_id'
    )
    UNION ALL
    SELECT name || ' has the trigger ' || tgname FROM tables JOIN pg_trigger ON tgrelid = relation
    WHERE NOT tgisinternal
    UNION ALL
    SELECT name || ' has the identity column ' || attname FROM tables JOIN pg_attribute ON attrelid = relation
    WHERE attidentity <> ''
    UNION ALL
    SELECT relname || ' is a sequence' FROM pg_class
    WHERE relnamespace = ${schema}::regnamespace AND relkind = 'S'`
  return rows.map(({ error }) => error).sort()
}

let store: OpenStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

it('the migrated schema follows the rules for distribution', async () => {
  expect(await store.prisma.user.count()).toBe(0)
  expect(await errorsOf('usher')).toEqual([])
})

it('plans expect a two-hundredth of each table per database', async () => {
  const tables = await store.prisma.$queryRaw`
    SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'database_id'
    WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r' AND attoptions IS DISTINCT FROM '{n_distinct=200}'`
  expect(tables).toEqual([])
})

describe('errorsOf', () => {
  beforeEach(async () => {
    await run('DROP SCHEMA IF EXISTS scratch CASCADE')
    await run('CREATE SCHEMA scratch')
    await run('CREATE TABLE scratch.database (id UUID PRIMARY KEY)')
    await run('CREATE TABLE scratch.owner (database_id UUID, id UUID, n INT, PRIMARY KEY (database_id, id))')
  })

  const run = (statement: string) => store.prisma.$executeRawUnsafe(statement)
  const key = 'PRIMARY KEY (database_id, id)'
  const toOwner = 'FOREIGN KEY (database_id, owner) REFERENCES scratch.owner'
  const pet = (rest: string) =>
    `CREATE TABLE scratch.pet (database_id UUID, id UUID, owner UUID, ${key}, CONSTRAINT pet_owner ${rest})`

  it.each([
    ['no error in a valid table', pet(`${toOwner} ON DELETE CASCADE`), []],
    [
      'a table without database_id',
      'CREATE TABLE scratch.pet (id UUID PRIMARY KEY)',
      ['pet has no database_id', 'scratch.pet_pkey does not begin with database_id'],
    ],
    [
      'a table without a primary key',
      'CREATE TABLE scratch.pet (database_id UUID)',
      ['pet has no primary key'],
    ],
    [
      'a database_id of another type, whose rows are not colocated',
      'CREATE TABLE scratch.pet (database_id TEXT PRIMARY KEY)',
      ['pet has a database_id that is no uuid'],
    ],
    [
      'a key that does not start with database_id',
      'CREATE TABLE scratch.pet (database_id UUID, id UUID, PRIMARY KEY (id, database_id))',
      ['scratch.pet_pkey does not begin with database_id'],
    ],
    [
      'a unique index without database_id',
      'CREATE UNIQUE INDEX number ON scratch.owner (n)',
      ['scratch.number does not begin with database_id'],
    ],
    [
      'a unique index on an expression',
      'CREATE UNIQUE INDEX number ON scratch.owner (abs(n), database_id)',
      ['scratch.number does not begin with database_id'],
    ],
    ['ON UPDATE CASCADE', pet(`${toOwner} ON UPDATE CASCADE`), ['pet_owner changes its rows on update']],
    ['ON DELETE SET NULL', pet(`${toOwner} ON DELETE SET NULL`), ['pet_owner sets its columns on delete']],
    [
      'ON DELETE SET DEFAULT',
      pet(`${toOwner} ON DELETE SET DEFAULT`),
      ['pet_owner sets its columns on delete'],
    ],
    [
      'a foreign key that crosses databases',
      pet('FOREIGN KEY (owner, database_id) REFERENCES scratch.owner'),
      ['pet_owner does not join by database_id'],
    ],
    [
      'a foreign key out of a reference table',
      'ALTER TABLE scratch.database ADD COLUMN owner UUID, ADD CONSTRAINT o FOREIGN KEY (id, owner) REFERENCES scratch.owner',
      ['o goes from a reference table to a distributed one'],
    ],
    [
      'a trigger',
      'CREATE TRIGGER t BEFORE UPDATE ON scratch.owner FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      ['owner has the trigger t'],
    ],
    [
      'a serial column',
      'ALTER TABLE scratch.owner ADD COLUMN serial SERIAL',
      ['owner_serial_seq is a sequence'],
    ],
    [
      'an identity column',
      'ALTER TABLE scratch.owner ADD COLUMN i INT GENERATED ALWAYS AS IDENTITY',
      ['owner has the identity column i', 'owner_i_seq is a sequence'],
    ],
  ])('the check finds %s', async (_case, statement, errors) => {
    await run(statement)
    expect(await errorsOf('scratch')).toEqual(errors)
  })
})
