import type { Revocation } from '@usher/contract/management'

/** What a backend makes of a token: whether it accepts it, and the user's role in each tenant. */
export interface Verdict {
  isAccepted: boolean
  roles: Record<string, string>
}

interface Claims {
  sub: string
  jti: string
  sid?: string
  gen?: number
  tenants_version?: number
  tenants: string[]
  tenant_roles: Record<string, string>
}

/** Returns what a backend makes of a token that has not expired, by the rules of docs/management.md. */
export function offlineVerdict(revocations: readonly Revocation[], jwt: string): Verdict {
  const [header, claims] = jwt.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { kid } = JSON.parse(header ?? '')
  const { sub, jti, sid, gen, tenants_version, tenants, tenant_roles } = JSON.parse(claims ?? '') as Claims
  const roles = new Map(tenants.map((id) => [id, tenant_roles[id] ?? 'member']))
  const isEarlier = (number: number | undefined, than = 0) => number === undefined || number < than
  let isAccepted = true
  for (const each of revocations) {
    const { tenantId = '' } = each
    if (each.type === 'tokens-revoked' && each.userId === sub && isEarlier(gen, each.generation))
      isAccepted = false
    if (each.type === 'session-revoked' && each.sessionId === (sid ?? jti)) isAccepted = false
    if (each.type === 'key-retired' && each.kid === kid) isAccepted = false
    if (each.type === 'tenant-deleted') roles.delete(tenantId)
    if (
      each.type === 'token-claims-change' &&
      each.userId === sub &&
      isEarlier(tenants_version, each.version)
    )
      if (each.role) roles.set(tenantId, each.role)
      else roles.delete(tenantId)
  }
  return { isAccepted, roles: isAccepted ? Object.fromEntries(roles) : {} }
}
