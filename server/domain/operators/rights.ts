import { type OperatorRole, operatorRoles } from '@usher/contract/operator'
import type { TenantRole } from '../../store/queries/user-tenants.js'
import { Problem } from '../problem.js'

// A right is a membership of an operator: the id of the tenant is that of a workspace, or of the operators' database for a right
// in the whole installation.

/** An operator, with the rights that the store had when the request arrived. */
interface Holder {
  memberships: readonly TenantRole[]
}

const rankOf = (role: string | undefined) => (operatorRoles as readonly (string | undefined)[]).indexOf(role)

/** Returns the role of an operator in a place, or undefined. A role in the installation counts in each workspace. */
export function roleIn({ memberships }: Holder, places: readonly string[]): OperatorRole | undefined {
  const roles = memberships.filter(({ id }) => places.includes(id)).map(({ role }) => role)
  return operatorRoles.findLast((role) => roles.includes(role))
}

/** Returns the largest role of an operator. */
export const roleAnywhere = (holder: Holder) =>
  roleIn(
    holder,
    holder.memberships.map(({ id }) => id),
  )

/** Returns the problem of what no operator may do. */
export const noOperators = () =>
  new Problem('role_insufficient', {
    detail: 'Operators of the console cannot do this. Use an API key, or a command of the host.',
  })

/** @throws {Problem} `role_insufficient` if a role has fewer rights than the least one */
export function requireRole(role: OperatorRole | undefined, least: OperatorRole | undefined) {
  if (!least) throw noOperators()
  if (rankOf(role) < rankOf(least))
    throw new Problem('role_insufficient', { detail: `Needs the role ${least} of an operator.` })
}

/** Returns whether a role has at least the rights of another one. */
export const hasRank = (role: OperatorRole | undefined, least: OperatorRole) => rankOf(role) >= rankOf(least)
