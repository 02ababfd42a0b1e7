import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { schemaDiff } from '../../scripts/schema-diff.js'
import { loadEmbeddedTemplate } from '../support/store.js'

const schema = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')

it('the migrations make what schema.prisma says, and a difference would be seen', async () => {
  const pglite = await loadEmbeddedTemplate()
  expect(await schemaDiff(pglite, schema)).toBe('')
  const changed = schema.replace('model Tenant {', 'model Tenant {\n  colour String?')
  expect(await schemaDiff(pglite, changed)).toContain('ADD COLUMN     "colour" TEXT')
  await pglite.close()
})
