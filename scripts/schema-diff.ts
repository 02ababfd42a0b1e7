import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { PGlite } from '@electric-sql/pglite'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import { PrismaPGlite } from 'pglite-prisma-adapter'

const filters = { externalTables: [], externalEnums: [] }

/**
 * Returns the statements that migrate the store in a PGlite to a Prisma schema, or an empty string if they agree. Uses an
 * engine from npm, because Prisma's command line downloads one.
 */
export async function schemaDiff(pglite: PGlite, schema: string): Promise<string> {
  await engineLoaded
  const files = [{ path: 'schema.prisma', content: schema }]
  const schemaEngine = await engine.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(pglite)),
  )
  const { exitCode, stdout } = await schemaEngine.diff({
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    filters,
  })
  return exitCode === 0 ? '' : (stdout ?? '')
}

/** The package is built for bundlers. In Node its JavaScript and WebAssembly must be linked manually, once. */
const engineLoaded = loadEngine()

async function loadEngine() {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const wasm = readFileSync(new URL('schema_engine_bg.wasm', pathToFileURL(script)))
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': engine as unknown as WebAssembly.ModuleImports,
  })
  engine.__wbg_set_wasm(instance.exports)
  const { __wbindgen_start: start } = instance.exports as { __wbindgen_start(): void }
  start()
}

/** Returns statements so that plans expect many rows of a database in the tables that a migration creates. */
export const statisticsOf = (sql: string) =>
  [...sql.matchAll(/^CREATE TABLE ("usher"\."\w+") \([^;]*?^ +"database_id"/gm)]
    .map(
      ([, table]) =>
        `-- Statistics\nALTER TABLE ${table} ALTER COLUMN "database_id" SET (n_distinct = 200);\n`,
    )
    .join('')
