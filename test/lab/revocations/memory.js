import { createRevocations } from '../../../verify/revocations.js'

// Fills the memory of a verifier with revocations of a type, and prints what that costs. Needs --expose-gc.

const [type = '', count = '0'] = process.argv.slice(2)
const entries = Number(count)
const now = Date.now()
const expiresAt = now + 86_520_000

async function usedBytes() {
  for (let count = 0; count < 3; count++) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
const rowOf = (index) => ({
  type: type === 'both' ? ['tokens-revoked', 'session-revoked'][index % 2] : type,
  expiresAt,
  userId: crypto.randomUUID(),
  sessionId: crypto.randomUUID(),
  tenantId: crypto.randomUUID(),
  generation: now,
  version: now,
  role: 'admin',
})

const before = await usedBytes()
const revocations = createRevocations({ now: () => now, maxEntries: entries })
let longestMs = 0
let fillMs = 0
for (let added = 0; added < entries; added += 1000) {
  const rows = Array.from({ length: Math.min(1000, entries - added) }, (_, index) => rowOf(index))
  // As the feed has them: a string of `randomUUID` refers to its parts, which take more memory.
  const page = JSON.parse(JSON.stringify(rows))
  const startedAt = performance.now()
  revocations.addAll(page)
  const took = performance.now() - startedAt
  longestMs = Math.max(longestMs, took)
  fillMs += took
}
const bytes = (await usedBytes()) - before

/** Claims as a token has them: `JSON.parse` makes strings that are quicker to read than those of `randomUUID`. */
const claimsOf = (userId, tenants) =>
  JSON.parse(
    JSON.stringify({ sub: userId, gen: now, sid: crypto.randomUUID(), jti: crypto.randomUUID(), tenants }),
  )
const users = Array.from({ length: 10_000 }, () => {
  const claims = claimsOf(
    crypto.randomUUID(),
    Array.from({ length: 3 }, () => crypto.randomUUID()),
  )
  const { sub: userId, tenants } = claims
  return { userId, tenants, roles: new Map(tenants.map((id) => [id, 'member'])), claims }
})
const checks = entries
const rounds = []
for (let round = 0; round < 5; round++) {
  const { user: before } = process.cpuUsage()
  for (let check = 0; check < checks; check++) {
    const user = users[check % users.length]
    if (revocations.hasRevoked(user.claims, 'kid') || revocations.update(user) !== user) process.exitCode = 1
  }
  rounds.push((process.cpuUsage().user - before) / checks)
}
const microseconds = rounds.sort((a, b) => a - b)[2]
process.stdout.write(
  JSON.stringify({
    entries: revocations.size(),
    bytes,
    microseconds,
    longestMs,
    fillMs,
    rss: process.memoryUsage().rss,
  }),
)
