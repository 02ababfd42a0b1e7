import { cpSync, rmSync } from 'node:fs'

const target = 'server/dist/migrations'
rmSync(target, { recursive: true, force: true })
cpSync('prisma/migrations', target, { recursive: true })
