import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { schemaDiff } from '../../scripts/schema-diff.js'
import { loadEmbeddedTemplate } from '../support/store.js'

const prisma = new URL('../../prisma/', import.meta.url)
const schema = await readFile(new URL('schema.prisma', prisma), 'utf8')
const migrations = (await readdir(new URL('migrations', prisma), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

it('the migrations make what schema.prisma says, and a difference would be seen', async () => {
  const pglite = await loadEmbeddedTemplate()
  expect(await schemaDiff(pglite, schema)).toBe('')
  const changed = schema.replace('model Tenant {', 'model Tenant {\n  colour String?')
  expect(await schemaDiff(pglite, changed)).toContain('ADD COLUMN     "colour" TEXT')
  await pglite.close()
})

it.each(migrations)('%s has no semicolon but at the end of a statement and a line', async (name) => {
  const sql = await readFile(new URL(`migrations/${name}/migration.sql`, prisma), 'utf8')
  const statements = sql.replace(/^--.*$/gm, '')
  expect(statements).not.toMatch(/;(?!\s*(\n|$))/)
  expect(statements).not.toMatch(/\$\$|\/\*/)
})
