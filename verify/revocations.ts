import type { Revocation } from './revocation-page.js'
import type { VerifiedUser } from './user.js'

/** Time between a change and the expiry of its revocation: the longest lifetime of a token, and two minutes. */
const lifetimeMs = 86_520_000
/** How far a store grows between two searches for expired entries, so that these take a constant share of the time. */
const growth = 1.25

/** `expiresAt` is in seconds, which take less memory than milliseconds. */
interface Entry {
  expiresAt: number
  /** The generation of a user, or the version of the memberships, from which on tokens are accepted. */
  acceptedFrom?: number
  role?: string | null
}

export type Revocations = ReturnType<typeof createRevocations>

/** Creates a store in memory for the revocations that still matter. */
export function createRevocations({ now, maxEntries }: { now: () => number; maxEntries: number }) {
  const users = new Map<string, Entry>()
  const sessions = new Map<string, Entry>()
  const deletedTenants = new Map<string, Entry>()
  /** By user and tenant. */
  const memberships = new Map<string, Entry>()
  const retiredKeys = new Set<string>()
  const tables = [users, sessions, deletedTenants, memberships]
  let newestExpiry = 0
  let nextSweepSize = 1000

  const size = () => tables.reduce((sum, table) => sum + table.size, retiredKeys.size)

  function removeExpired(nowMs: number) {
    for (const table of tables)
      for (const [key, { expiresAt }] of table) if (expiresAt * 1000 <= nowMs) table.delete(key)
    nextSweepSize = Math.max(1000, size() * growth)
  }

  function add(revocation: Revocation) {
    const expiresAt = Math.ceil(revocation.expiresAt / 1000)
    newestExpiry = Math.max(newestExpiry, revocation.expiresAt)
    switch (revocation.type) {
      case 'tokens-revoked':
        return setNewer(users, keyOf(revocation.userId), { expiresAt, acceptedFrom: revocation.generation })
      case 'session-revoked':
        return sessions.set(keyOf(revocation.sessionId), { expiresAt })
      case 'tenant-deleted':
        return deletedTenants.set(keyOf(revocation.tenantId), { expiresAt })
      case 'token-claims-change': {
        const { userId, tenantId, version, role } = revocation
        return setNewer(memberships, keyOf(userId, tenantId), { expiresAt, acceptedFrom: version, role })
      }
      case 'key-retired':
        return retiredKeys.add(revocation.kid)
    }
  }

  /** Returns the current role of a user in a tenant: null if the user has none, undefined if it did not change. */
  function changedRole({ userId, claims: { tenants_version } }: VerifiedUser, tenantId: string) {
    if (deletedTenants.has(keyOf(tenantId))) return null
    const change = memberships.get(keyOf(userId, tenantId))
    return isOlder(tenants_version, change) ? change?.role : undefined
  }

  return {
    size,
    /** @throws if there would be more than the maximum. Then none is added. */
    addAll(revocations: readonly Revocation[]) {
      const isFull = () => size() + revocations.length > maxEntries
      // Only what has expired both by this clock and by that of the server.
      if (size() > nextSweepSize) removeExpired(Math.min(now(), newestExpiry - lifetimeMs))
      // Trusts this clock: the server's is unknown while its newest revocations do not fit.
      if (isFull()) removeExpired(now())
      if (isFull()) throw new Error(`There are more than ${maxEntries} revocations`)
      for (const each of revocations) add(each)
    },
    /** Returns whether a token was revoked. */
    hasRevoked({ sub, gen, sid, jti }: VerifiedUser['claims'], kid: string | undefined) {
      if (kid !== undefined && retiredKeys.has(kid)) return true
      return isOlder(gen, users.get(keyOf(sub))) || sessions.has(keyOf(String(sid ?? jti)))
    },
    /** Returns a user with the current state of the tenants and roles in the token. */
    update(user: VerifiedUser): VerifiedUser {
      if (deletedTenants.size + memberships.size === 0) return user
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

/** Returns the key of one or two UUIDs. */
const keyOf = (id: string, second = '') => (id + second).toLowerCase()

/** Adds an entry unless there is a newer one. */
function setNewer(table: Map<string, Entry>, key: string, entry: Entry & { acceptedFrom: number }) {
  const current = table.get(key)
  if (!current || (current.acceptedFrom ?? 0) <= entry.acceptedFrom) table.set(key, entry)
}

/** Returns whether a claim is older than an entry. */
const isOlder = (claim: unknown, entry: Entry | undefined) =>
  entry?.acceptedFrom !== undefined && !(typeof claim === 'number' && claim >= entry.acceptedFrom)
