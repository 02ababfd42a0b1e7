import { cpSync } from 'node:fs'

cpSync('prisma/migrations', 'server/dist/migrations', { recursive: true })
