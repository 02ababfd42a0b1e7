import type { ImportResult } from '@usher/contract/management'

export type OwnerlessTenant = ImportResult['tenantsWithoutOwner'][number]

/** Tenants that are remembered at most. */
const mostTenants = 10_000

/**
 * Returns what keeps the tenants that have no owner after the slices of a file. A later slice may add the owner of one.
 *
 * @param isCheck whether nothing is stored. Then the server does not know the owners of earlier slices
 */
export function createOwnerless(isCheck: boolean) {
  let tenants: readonly OwnerlessTenant[] = []
  let owned = new Set<string>()
  return {
    /** Returns the tenants without an owner after a slice. */
    after(lines: readonly { text: string }[], result: Pick<ImportResult, 'lines' | 'tenantsWithoutOwner'>) {
      if (!isCheck) owned = new Set()
      for (const { line, status } of result.lines)
        if (status === 'created') for (const key of ownedKeys(lines[line - 1]?.text)) owned.add(key)
      const known = new Set(tenants.map(keyOf))
      const added = result.tenantsWithoutOwner.filter((each) => !known.has(keyOf(each) ?? ''))
      tenants = [...tenants, ...added]
        .filter(({ id, externalId }) => !owned.has(id ?? '') && !owned.has(externalId ?? ''))
        .slice(0, mostTenants)
      return tenants
    },
  }
}

/** Returns undefined for a new tenant without any ID, which no other line can name. */
const keyOf = ({ id, externalId }: OwnerlessTenant) => id ?? externalId ?? undefined

/** Yields the IDs and external IDs of the tenants that the user of a line owns. */
function* ownedKeys(text = 'null') {
  const { tenants } = (JSON.parse(text) ?? {}) as {
    tenants?: { role?: string; id?: string; externalId?: string }[] | null
  }
  for (const { role, id, externalId } of tenants ?? [])
    if (role === 'owner') yield* [id?.toLowerCase(), externalId].filter((key) => key != null)
}
