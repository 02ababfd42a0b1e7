import type { OpenStore } from '../support/open-store.js'

/**
 * Lets a store refuse the rows that are written to a table, with an error of Postgres, while work runs. Citus has no triggers on
 * these tables.
 *
 * @param condition name of an SQLSTATE
 */
export async function whileRefusing<Result>(
  { prisma }: Pick<OpenStore, 'prisma'>,
  table: string,
  condition: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await prisma.$executeRawUnsafe(`CREATE FUNCTION usher.refuse() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '${condition} here' USING ERRCODE = '${condition}'; END $$`)
  await prisma.$executeRawUnsafe(
    `ALTER TABLE usher.${table} ADD CONSTRAINT refuse CHECK (usher.refuse()) NOT VALID`,
  )
  try {
    return await work()
  } finally {
    await prisma.$executeRawUnsafe(`ALTER TABLE usher.${table} DROP CONSTRAINT refuse`)
    await prisma.$executeRaw`DROP FUNCTION usher.refuse`
  }
}
