import type { ImportResult } from '@usher/contract/management'
import type { LineResult } from '../commands/user-import.js'

export type OwnerlessTenant = ImportResult['tenantsWithoutOwner'][number]

/** Tenants that are remembered at most. */
const mostRemembered = 10_000

/** The tenants without an owner of an import, as far as its lines are sent. A later line may add the owner of one. */
export function createImportedTenants() {
  const owned = new Set<string>()
  const named = new Map<string, OwnerlessTenant>()
  // New tenants without any ID, which no other line can name.
  const unnamed: OwnerlessTenant[] = []
  let isComplete = true
  return {
    note({
      lines,
      tenantsWithoutOwner,
    }: Pick<ImportResult, 'tenantsWithoutOwner'> & { lines: readonly LineResult[] }) {
      for (const { line, status } of lines)
        if (status === 'created') for (const key of ownedKeys(line.text)) owned.add(key)
      for (const tenant of tenantsWithoutOwner) {
        if (named.size + unnamed.length >= mostRemembered) isComplete = false
        else if (tenant.id ?? tenant.externalId) named.set((tenant.id ?? tenant.externalId) as string, tenant)
        else unnamed.push(tenant)
      }
      for (const [key, { externalId }] of named)
        if (owned.has(key) || owned.has(externalId ?? '')) named.delete(key)
    },
    ownerless: () => [...named.values(), ...unnamed],
    /** Whether all of them are remembered. */
    isComplete: () => isComplete,
  }
}

/** Yields the IDs and external IDs of the tenants that the user of a line owns. */
function* ownedKeys(text: string) {
  const { tenants } = JSON.parse(text) as {
    tenants?: { role?: string; id?: string; externalId?: string }[] | null
  }
  for (const { role, id, externalId } of tenants ?? [])
    if (role === 'owner') yield* [id?.toLowerCase(), externalId].filter((key) => key != null)
}
