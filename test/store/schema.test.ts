import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { schemaDiff, statisticsOf } from '../../scripts/schema-diff.js'
import { loadEmbeddedTemplate } from '../support/store.js'

const prisma = new URL('../../prisma/', import.meta.url)
const schema = await readFile(new URL('schema.prisma', prisma), 'utf8')
const migrations = (await readdir(new URL('migrations', prisma), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

it('the migrations create the schema of schema.prisma, and the check finds a difference', async () => {
  const pglite = await loadEmbeddedTemplate()
  expect(await schemaDiff(pglite, schema)).toBe('')
  const changed = schema.replace('model Tenant {', 'model Tenant {\n  colour String?')
  expect(await schemaDiff(pglite, changed)).toContain('ADD COLUMN     "colour" TEXT')
  await pglite.close()
})

it('a new migration has the statistics of its new tables', async () => {
  const pglite = await loadEmbeddedTemplate()
  await pglite.exec('DROP SCHEMA usher CASCADE')
  const statistics = statisticsOf(await schemaDiff(pglite, schema))
  await pglite.close()
  const [init = ''] = migrations.sort()
  const committed = await readFile(new URL(`migrations/${init}/migration.sql`, prisma), 'utf8')
  const statements = (sql: string) => sql.match(/^ALTER TABLE .* SET \(.*/gm) ?? []
  expect(statements(statistics)).toEqual(expect.arrayContaining(statements(committed)))
})

it.each(migrations)('migration %s follows the rules for migrations', async (name) => {
  expect(errorsOf(await readFile(new URL(`migrations/${name}/migration.sql`, prisma), 'utf8'))).toEqual([])
})

/** Returns violations of docs/scale-out.md: what the runner cannot split or a distributed store rejects. */
function errorsOf(migration: string) {
  const sql = migration.replace(/^--.*$/gm, '')
  const rules: [RegExp, string][] = [
    [/;(?!\s*(\n|$))/, 'a semicolon within a statement or a line'],
    [/\$\$|\/\*/, 'a body or a comment that may hide a semicolon'],
    [/^\s*CREATE TABLE (?!"usher"\."\w+" \()/m, 'a table not written as CREATE TABLE "usher"."name" ('],
    [
      /CREATE TABLE [^;]*\bREFERENCES\b/,
      'a foreign key within CREATE TABLE, before the table is distributed',
    ],
    [/\bRENAME CONSTRAINT\b/, 'RENAME CONSTRAINT'],
    [/\bCREATE (CONSTRAINT )?TRIGGER\b/, 'a trigger'],
    [/\b(SMALL|BIG)?SERIAL\b|\bAS IDENTITY\b/, 'a column that counts up'],
    [/\bCONCURRENTLY\b/, 'CONCURRENTLY, which no transaction allows'],
    [/\bUPDATE "[^;]*\bSET\b[^;]*\w\(\)/, 'a function in an UPDATE'],
  ]
  return rules.filter(([pattern]) => pattern.test(sql)).map(([, error]) => error)
}

const table = 'CREATE TABLE "usher"."badge" (\n    "id" UUID'

it.each([
  ['ALTER TABLE "usher"."user" ADD COLUMN "a;b" TEXT;\n', 'a semicolon within a statement or a line'],
  ['DO $$ BEGIN NULL; END $$;\n', 'a body or a comment that may hide a semicolon'],
  [
    'CREATE TABLE IF NOT EXISTS "usher"."badge" ();\n',
    'a table not written as CREATE TABLE "usher"."name" (',
  ],
  ['CREATE TABLE usher.badge ();\n', 'a table not written as CREATE TABLE "usher"."name" ('],
  [
    `${table} REFERENCES "usher"."database");\n`,
    'a foreign key within CREATE TABLE, before the table is distributed',
  ],
  ['ALTER TABLE "usher"."user" RENAME CONSTRAINT "a" TO "b";\n', 'RENAME CONSTRAINT'],
  ['CREATE TRIGGER "t" BEFORE UPDATE ON "usher"."user" EXECUTE FUNCTION f();\n', 'a trigger'],
  ['ALTER TABLE "usher"."user" ADD COLUMN "n" BIGSERIAL;\n', 'a column that counts up'],
  ['CREATE INDEX CONCURRENTLY "i" ON "usher"."user"("id");\n', 'CONCURRENTLY, which no transaction allows'],
  ['UPDATE "usher"."user" SET "created_at" = now();\n', 'a function in an UPDATE'],
])('the rules reject %s', (sql, error) => {
  expect(errorsOf(`${table});\n${sql}`)).toContain(error)
  expect(errorsOf(`-- ${sql.replaceAll('\n', ' ')}\n${table});\n`)).toEqual([])
})
