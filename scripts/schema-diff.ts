import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { PGlite } from '@electric-sql/pglite'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import { PrismaPGlite } from 'pglite-prisma-adapter'

const filters = { externalTables: [], externalEnums: [] }

/**
 * The statements that turn the store in a PGlite into what a Prisma schema says; empty where they agree.
 * Prisma's own command line would download an engine for it; this one is an npm package.
 */
export async function schemaDiff(pglite: PGlite, schema: string): Promise<string> {
  await loaded
  const files = [{ path: 'schema.prisma', content: schema }]
  const differ = await engine.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(pglite)),
  )
  const { exitCode, stdout } = await differ.diff({
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    filters,
  })
  return exitCode === 0 ? '' : (stdout ?? '')
}

/** The package is made for bundlers; under Node its two halves are joined by hand, once. */
const loaded = loadEngine()

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
