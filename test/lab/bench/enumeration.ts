import type { AddressInfo } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import bcrypt from 'bcrypt'
import { pino } from 'pino'
import { loadConfig } from '../../../server/config.js'
import { createContext } from '../../../server/domain/context.js'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { dummyHashOf } from '../../../server/domain/passwords/formats/read-hash.js'
import { buildApp } from '../../../server/http/app.js'
import { migrate } from '../../../server/store/migrate.js'
import { openOver } from '../../support/open-store.js'

// Measures whether response times reveal accounts: npm run lab -- enumeration [REQUESTS [WHAT]]. Sends failed logins of accounts
// with each kind of hash and of unknown emails, password resets, logins by mail, invitations and changes of the address,
// interleaved, at the default cost, over HTTP. The medians may differ from that of unknown emails only as much as two groups of
// unknown emails differ.

const rounds = Number(process.argv[2] ?? 200)
/** What to measure, such as `invitations`. Everything by default. */
const chosen = process.argv[3]
const path = { workspaceSlug: 'bench', databaseName: 'app' }
const password = 'correct horse battery'

const store = await openOver(await PGlite.create(), Buffer.alloc(32))
await migrate(store)
await createWorkspace(store, path.workspaceSlug, new Date())
const { id } = await createDatabase({ store, now: new Date() }, path, {
  appUrl: 'https://app.example.com',
  loginMail: 'both',
})

const log = pino({ level: 'silent' })
const outdated = createContext(loadConfig({ ARGON2_PASSES: '3' }), store)
// Each login uses another network, so that the throttle does not reject it before the hash.
const config = loadConfig({ TRUST_PROXY: '1' })
const context = createContext(config, store)
const app = await buildApp(config, context, { log })
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const users = `${base}/workspaces/${path.workspaceSlug}/databases/${path.databaseName}/users`

const hashes = {
  current: await context.hashing.hash(password),
  outdated: await outdated.hashing.hash(password),
  bcrypt: await bcrypt.hash(password, 10),
}
for (const [kind, passwordHash] of Object.entries(hashes)) {
  const email = `${kind}@example.com`
  const user = { databaseId: id, id: crypto.randomUUID(), email, canonicalEmail: email, passwordHash }
  await store.prisma.user.create({ data: { ...user, createdAt: new Date() } })
}
const parameters = Object.values(hashes).map((hash) => ({ databaseId: id, dummyHash: dummyHashOf(hash) }))
await store.prisma.hashParameters.createMany({ data: parameters })

/** A request from a separate network that names an address. */
type Send = (email: string, headers: Record<string, string>) => Promise<Response>

const post = (path: string, body: object, headers: Record<string, string>) =>
  fetch(`${users}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
const failedLogin: Send = (email, headers) => post('/login', { email, password: 'a wrong password' }, headers)
const passwordReset: Send = (email, headers) => post('/password-reset', { email }, headers)
const loginCode: Send = (email, headers) => post('/login/code', { email, challenge: 'x'.repeat(43) }, headers)

const founder = { email: 'owner@example.com', password, newTenant: 'Engines' }
const ownerResponse = await post('', founder, { 'content-type': 'application/json' })
const owner = (await ownerResponse.json()) as { tenants: string[]; token: { jwt: string } }
const invitation: Send = (email, headers) =>
  fetch(`${users.replace(/users$/, 'tenants')}/${owner.tenants[0]}/invitations`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${owner.token.jwt}` },
    body: JSON.stringify({ email, role: 'member' }),
  })

const emailChange: Send = (email, headers) =>
  post('/me/email', { email, password }, { ...headers, authorization: `Bearer ${owner.token.jwt}` })

let network = 0
await measure('failed logins', [...Object.keys(hashes), 'unknown', 'unknown too'], failedLogin, 401)
await measure('password resets', ['current', 'unknown', 'unknown too'], passwordReset, 202)
await measure('logins by mail', ['current', 'unknown', 'unknown too'], loginCode, 202)
await measure('invitations', ['current', 'outdated', 'unknown', 'unknown too'], invitation, 201)

await measure('changes of the address', ['current', 'owner', 'unknown', 'unknown too'], emailChange, 202)

await app.close()
await Promise.all([context.hashing.close(), outdated.hashing.close()])
await store.close()

/** Sends requests that name each kind of address, interleaved, and prints how much their medians differ. */
async function measure(title: string, kinds: string[], send: Send, status: number) {
  if (chosen !== undefined && chosen !== title) return
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]))
  for (let round = -5; round < rounds; round++) {
    for (const kind of kinds) {
      network += 1
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`,
      }
      const start = performance.now()
      const response = await send(`${kind.replace(' ', '.')}@example.com`, headers)
      await response.arrayBuffer()
      if (response.status !== status) throw new Error(`unexpected status ${response.status}`)
      if (round >= 0) times.get(kind)?.push(performance.now() - start)
      await store.prisma.loginFailures.deleteMany({ where: { databaseId: id } })
      await store.prisma.codeRequest.deleteMany({ where: { databaseId: id } })
      await store.prisma.message.deleteMany({ where: { databaseId: id } })
      await store.prisma.invitation.deleteMany({ where: { databaseId: id } })
    }
  }
  const reference = median(times.get('unknown') ?? [])
  process.stdout.write(`${rounds} ${title} of each; median of unknown addresses ${reference.toFixed(2)} ms\n`)
  for (const [kind, all] of times) {
    const difference = median(all) - reference
    process.stdout.write(`${kind.padEnd(12)} ${difference >= 0 ? '+' : ''}${difference.toFixed(2)} ms\n`)
  }
}

function median(values: number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
