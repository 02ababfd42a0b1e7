import { cpSync, rmSync } from 'node:fs'

// Copies what the server reads at run time and the compiler leaves.

const reference = 'http/reference/browser'
cpSync(`server/${reference}`, `server/dist/${reference}`, { recursive: true })

// The last step: scripts/is-built.js looks at this folder.
const target = 'server/dist/migrations'
rmSync(target, { recursive: true, force: true })
cpSync('prisma/migrations', target, { recursive: true })
