import process from 'node:process'
import { defineConfig } from 'prisma/config'

// `prisma generate` never runs the schema engine but insists on having one, and would download it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({ schema: 'prisma/schema.prisma' })
