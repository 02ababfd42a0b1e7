import type { Revocation } from './revocation-page.js'
import type { VerifiedUser } from './user.js'
import { createTable } from './uuid-table.js'

/** Time between a change and the expiry of its revocation: the longest lifetime of a token, and two minutes. */
const lifetimeMs = 86_520_000

export type Revocations = ReturnType<typeof createRevocations>

/** Creates a store in memory for the revocations that still matter. */
export function createRevocations({ now, maxEntries }: { now: () => number; maxEntries: number }) {
  /** Generation from which tokens of a user are accepted. */
  const users = createTable({ ids: 1, numbers: 1 })
  const sessions = createTable({ ids: 1, numbers: 0 })
  const deletedTenants = createTable({ ids: 1, numbers: 0 })
  /** By user and tenant: the version of the last change, and the index of the role in `roles`. */
  const memberships = createTable({ ids: 2, numbers: 2 })
  const roles: (string | null)[] = []
  const retiredKeys = new Set<string>()
  const tables = [users, sessions, deletedTenants, memberships]
  let newestExpiry = 0

  const size = () => tables.reduce((sum, table) => sum + table.size(), retiredKeys.size)

  /** The instant by which both this clock and that of the server say that a revocation has expired. */
  const forgetBefore = () => Math.min(now(), newestExpiry - lifetimeMs)

  /** Returns the index of a role. There are as many as the database has. */
  function indexOf(role: string | null) {
    const index = roles.indexOf(role)
    return index < 0 ? roles.push(role) - 1 : index
  }

  function add(revocation: Revocation) {
    const { expiresAt } = revocation
    newestExpiry = Math.max(newestExpiry, expiresAt)
    const set = (table: (typeof tables)[number], key: [string, string?], ...numbers: number[]) =>
      table.set({ key, expiresAt, numbers }, forgetBefore())
    switch (revocation.type) {
      case 'tokens-revoked':
        return set(users, [revocation.userId], revocation.generation)
      case 'session-revoked':
        return set(sessions, [revocation.sessionId])
      case 'tenant-deleted':
        return set(deletedTenants, [revocation.tenantId])
      case 'token-claims-change': {
        const { userId, tenantId, version, role } = revocation
        return set(memberships, [userId, tenantId], version, indexOf(role))
      }
      case 'key-retired':
        return void retiredKeys.add(revocation.kid)
    }
  }

  /** Returns the current role of a user in a tenant: null if the user has none, undefined if it did not change. */
  function changedRole({ userId, claims: { tenants_version } }: VerifiedUser, tenantId: string) {
    if (deletedTenants.find(tenantId) >= 0) return null
    const slot = memberships.find(userId, tenantId)
    const isNewer = slot >= 0 && !isAtLeast(tenants_version, memberships.number(slot, 0))
    return isNewer ? roles[memberships.number(slot, 1)] : undefined
  }

  return {
    size,
    /** @throws if there would be more than the maximum. Then none is added. */
    addAll(revocations: readonly Revocation[]) {
      const isFull = () => size() + revocations.length > maxEntries
      // Trusts this clock: the server's is unknown while its newest revocations do not fit.
      if (isFull()) for (const table of tables) table.rebuild(now())
      if (isFull()) throw new Error(`There are more than ${maxEntries} revocations`)
      for (const each of revocations) add(each)
    },
    /** Returns whether a token was revoked. */
    hasRevoked({ sub, gen, sid, jti }: VerifiedUser['claims'], kid: string | undefined) {
      if (kid !== undefined && retiredKeys.has(kid)) return true
      const slot = users.find(sub)
      if (slot >= 0 && !isAtLeast(gen, users.number(slot, 0))) return true
      return sessions.find(String(sid ?? jti)) >= 0
    },
    /** Returns a user with the current state of the tenants and roles in the token. */
    update(user: VerifiedUser): VerifiedUser {
      if (deletedTenants.size() + memberships.size() === 0) return user
      const { tenants } = user
      if (!tenants?.some((id) => changedRole(user, id) !== undefined)) return user
      const left = tenants
        .map((id) => [id, changedRole(user, id)] as const)
        .filter(([, role]) => role !== null)
      const rolesNow = left.map(([id, role]) => [id, role ?? user.roles?.get(id) ?? ''] as const)
      return { ...user, tenants: left.map(([id]) => id), roles: user.roles && new Map(rolesNow) }
    },
  }
}

const isAtLeast = (claim: unknown, bound: number) => typeof claim === 'number' && claim >= bound
