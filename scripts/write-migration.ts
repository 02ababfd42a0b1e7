// npm run migration -- NAME: after a change of prisma/schema.prisma, writes the migration that brings the store
// from the migrations so far to it, for you to read and mend: keep to the rules of docs/scale-out.md, which tests
// hold it to. (`prisma migrate dev` does the same but downloads an engine.)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { storeOver } from '../server/store/embedded.js'
import { migrate } from '../server/store/migrate.js'
import { schemaDiff } from './schema-diff.js'

const name = process.argv[2] ?? ''
if (!/^[a-z0-9_]+$/.test(name)) end('Name the migration in a-z, 0-9 and _: npm run migration -- add_colour')

const pglite = await PGlite.create()
const store = storeOver(pglite, Buffer.alloc(32))
await migrate(store.prisma)
const sql = await schemaDiff(pglite, readFileSync('prisma/schema.prisma', 'utf8'))
if (sql === '') end('The migrations and prisma/schema.prisma agree: nothing to write.')

const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
const folder = `prisma/migrations/${stamp}_${name}`
mkdirSync(folder)
writeFileSync(`${folder}/migration.sql`, `${sql}\n`)
process.stdout.write(`Wrote ${folder}/migration.sql\n`)
await store.close()

function end(line: string): never {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}
