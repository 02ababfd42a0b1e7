import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

// Copies what the server reads at run time and the compiler leaves.

const reference = 'http/reference/browser'
cpSync(`server/${reference}`, `server/dist/${reference}`, { recursive: true })

// Not installed with the server, because it declares Fastify 4: npm would warn, and `npm ls` would fail.
const adapter = 'node_modules/@ts-rest/fastify'
const [licence, code] = ['LICENCE', 'index.esm.mjs'].map((file) => readFileSync(`${adapter}/${file}`, 'utf8'))
writeFileSync('server/dist/http/ts-rest-fastify.js', `/*\n${licence}*/\n${code}`)

const mails = 'domain/mail/texts'
cpSync(`server/${mails}`, `server/dist/${mails}`, { recursive: true })

cpSync('sdk/ui/ui.css', 'sdk/dist/ui/ui.css')

// The last step: scripts/is-built.js looks at this folder. It is replaced as a whole, because a server of this build may be starting.
const target = 'server/dist/migrations'
const [next, former] = [`${target}-next`, `${target}-former`]
for (const folder of [next, former]) rmSync(folder, { recursive: true, force: true })
cpSync('prisma/migrations', next, { recursive: true })
if (existsSync(target)) renameSync(target, former)
renameSync(next, target)
rmSync(former, { recursive: true, force: true })
