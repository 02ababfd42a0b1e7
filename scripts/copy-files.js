import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// Copies what the server reads at run time and the compiler leaves.

const reference = 'http/reference/browser'
cpSync(`server/${reference}`, `server/dist/${reference}`, { recursive: true })

// Not installed with the server, because it declares Fastify 4: npm would warn, and `npm ls` would fail.
const adapter = 'node_modules/@ts-rest/fastify'
const [licence, code] = ['LICENCE', 'index.esm.mjs'].map((file) => readFileSync(`${adapter}/${file}`, 'utf8'))
writeFileSync('server/dist/http/ts-rest-fastify.js', `/*\n${licence}*/\n${code}`)

cpSync('sdk/ui/ui.css', 'sdk/dist/ui/ui.css')

// The last step: scripts/is-built.js looks at this folder.
const target = 'server/dist/migrations'
rmSync(target, { recursive: true, force: true })
cpSync('prisma/migrations', target, { recursive: true })
