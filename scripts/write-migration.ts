// npm run migration -- NAME: writes the migration that brings the store to prisma/schema.prisma. Review and edit it by the
// rules in docs/scale-out.md, which tests enforce. (`prisma migrate dev` does the same but downloads an engine.)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { storeOver } from '../server/store/connect-embedded.js'
import { migrate } from '../server/store/migrate.js'
import { schemaDiff, statisticsOf } from './schema-diff.js'

const name = process.argv[2] ?? ''
if (!/^[a-z0-9_]+$/.test(name))
  exit('The name of a migration may contain only a-z, 0-9 and _: npm run migration -- add_colour')

const pglite = await PGlite.create()
const store = storeOver(pglite, Buffer.alloc(32))
await migrate(store)
const sql = await schemaDiff(pglite, readFileSync('prisma/schema.prisma', 'utf8'))
if (sql === '') exit('The migrations already match prisma/schema.prisma. Nothing was written.')

const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
const folder = `prisma/migrations/${timestamp}_${name}`
mkdirSync(folder)
writeFileSync(`${folder}/migration.sql`, `${sql}\n${statisticsOf(sql)}`)
process.stdout.write(`Wrote ${folder}/migration.sql\n`)
await store.close()

function exit(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
