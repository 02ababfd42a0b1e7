import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Revocation } from '../../verify/revocation-page.js'
import { createRevocations } from '../../verify/revocations.js'
import type { VerifiedUser } from '../../verify/user.js'
import { start } from '../support/app.js'

const hourMs = 3_600_000
const lifetimeMs = 86_520_000

/** Returns what a token with these claims says. */
const userOf = (claims: Partial<VerifiedUser['claims']> & { sub: string }): VerifiedUser => ({
  userId: claims.sub,
  tenants: claims.tenants,
  roles: claims.tenant_roles && new Map(Object.entries(claims.tenant_roles)),
  expiresAt: new Date(start),
  claims: { iss: '', aud: '', client_id: '', iat: 0, exp: 0, jti: crypto.randomUUID(), ...claims },
})

const ids = Array.from({ length: 4 }, (_, digit) => `00000000-0000-4000-8000-00000000000${digit}`)
const id = fc.constantFrom(...ids)
const number = fc.integer({ min: 0, max: 9 })
const role = fc.constantFrom('owner', 'admin', 'member', 'editor')
const claims = fc.record({
  sub: id,
  jti: id,
  sid: fc.option(id, { nil: undefined }),
  gen: fc.option(number, { nil: undefined }),
  tenants_version: fc.option(number, { nil: undefined }),
  tenant_roles: fc.dictionary(id, role),
})
const change = fc.oneof(
  fc.record({ type: fc.constant('tokens-revoked' as const), userId: id, generation: number }),
  fc.record({ type: fc.constant('session-revoked' as const), sessionId: id }),
  fc.record({
    type: fc.constant('token-claims-change' as const),
    userId: id,
    tenantId: id,
    role: fc.option(role),
  }),
  fc.record({ type: fc.constant('tenant-deleted' as const), tenantId: id }),
  fc.record({ type: fc.constant('key-retired' as const), kid: id }),
)

it('tokens are judged as a list of all revocations would judge them', () => {
  fc.assert(
    fc.property(fc.array(change), claims, id, (changes, { tenant_roles, ...others }, kid) => {
      // The version of a user's memberships rises with each change of them.
      const rows = changes.map(
        (row, version) => ({ ...row, version: version % 10, expiresAt: start + lifetimeMs }) as Revocation,
      )
      rows.sort((a, b) => ('version' in a && 'version' in b ? a.version - b.version : 0))
      const revocations = createRevocations({ now: () => start, maxEntries: 1000 })
      revocations.addAll(rows)
      const user = userOf({ ...others, tenant_roles, tenants: Object.keys(tenant_roles) })
      expect(revocations.hasRevoked(user.claims, kid)).toBe(
        rows.some((row) => isRevokedBy(row, user.claims, kid)),
      )
      const expected = new Map(user.roles)
      for (const row of rows) applyTo(expected, row, user)
      for (const row of rows) if (row.type === 'tenant-deleted') expected.delete(row.tenantId)
      const updated = revocations.update(user)
      expect(updated.roles).toEqual(expected)
      expect(new Set(updated.tenants)).toEqual(new Set(expected.keys()))
    }),
    { numRuns: 2000 },
  )
})

function isRevokedBy(row: Revocation, { sub, gen = -1, sid, jti }: VerifiedUser['claims'], kid: string) {
  if (row.type === 'tokens-revoked') return row.userId === sub && gen < row.generation
  if (row.type === 'session-revoked') return row.sessionId === (sid ?? jti)
  return row.type === 'key-retired' && row.kid === kid
}

function applyTo(roles: Map<string, string>, row: Revocation, { userId, tenants, claims }: VerifiedUser) {
  if (row.type !== 'token-claims-change' || row.userId !== userId || !tenants?.includes(row.tenantId)) return
  if ((claims.tenants_version ?? -1) >= row.version) return
  if (row.role === null) roles.delete(row.tenantId)
  else roles.set(row.tenantId, row.role)
}

it('no revocation is forgotten before it expires, and not many are kept after that', () => {
  let now = start
  const revocations = createRevocations({ now: () => now, maxEntries: 1_000_000 })
  const added: { sub: string; expiresAt: number }[] = []
  for (let hour = 0; hour < 72; hour++) {
    now = start + hour * hourMs
    for (let count = 0; count < 200; count++) {
      const row = { sub: crypto.randomUUID(), expiresAt: now + lifetimeMs + count }
      added.push(row)
      revocations.addAll([
        { type: 'tokens-revoked', userId: row.sub, generation: 5, expiresAt: row.expiresAt },
      ])
    }
  }
  const isKnown = ({ sub }: { sub: string }) => revocations.hasRevoked(userOf({ sub }).claims, undefined)
  const current = added.filter(({ expiresAt }) => expiresAt > now)
  expect(current.length).toBe(5_000)
  expect(current.every(isKnown)).toBe(true)
  expect(revocations.size()).toBeLessThan(2 * current.length)
  expect(isKnown({ sub: crypto.randomUUID() })).toBe(false)
})

it.each([
  ['this clock is two days ahead', 2 * 24 * hourMs, 0],
  ['a server with a clock two days ahead adds one', 0, 2 * 24 * hourMs],
])('no revocation is forgotten before it expires if %s', (_, aheadMs, rowAheadMs) => {
  const revocations = createRevocations({ now: () => start + aheadMs, maxEntries: 1_000_000 })
  const rowOf = (userId: string, more = 0): Revocation => ({
    type: 'tokens-revoked',
    userId,
    generation: 5,
    expiresAt: start + lifetimeMs + more,
  })
  const users = Array.from({ length: 1000 }, () => crypto.randomUUID())
  revocations.addAll([rowOf(crypto.randomUUID(), rowAheadMs)])
  revocations.addAll(users.map((user) => rowOf(user)))
  expect(users.every((sub) => revocations.hasRevoked(userOf({ sub }).claims, undefined))).toBe(true)
})

it('expired revocations are removed before the maximum is exceeded', () => {
  let now = start
  const revocations = createRevocations({ now: () => now, maxEntries: 100 })
  const addHundred = () =>
    revocations.addAll(
      Array.from({ length: 100 }, () => ({
        type: 'session-revoked',
        sessionId: crypto.randomUUID(),
        expiresAt: now + lifetimeMs,
      })),
    )
  addHundred()
  expect(addHundred).toThrow('There are more than 100 revocations')
  expect(revocations.size()).toBe(100)
  now += lifetimeMs - 1_000
  expect(addHundred).toThrow('There are more than 100 revocations')
  now += 1_000
  addHundred()
  expect(revocations.size()).toBe(100)
})

it.each([
  '',
  'ada',
  `${ids[0]}0`,
  '00000000-0000-4000-8000-00000000000g',
  '00000000+0000-4000-8000-000000000000',
])('the ID %j is not that of a revocation', (sub) => {
  const revocations = createRevocations({ now: () => start, maxEntries: 10 })
  revocations.addAll([
    { type: 'tokens-revoked', userId: ids[0] ?? '', generation: 5, expiresAt: start + lifetimeMs },
  ])
  expect(revocations.hasRevoked(userOf({ sub: ids[0] ?? '' }).claims, undefined)).toBe(true)
  expect(revocations.hasRevoked(userOf({ sub }).claims, undefined)).toBe(false)
})
