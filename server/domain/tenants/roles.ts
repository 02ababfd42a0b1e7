import type { FieldError } from '@usher/contract'
import { builtInRoles } from '@usher/contract/settings'
import { findLockedSettings } from '../../store/queries/databases.js'
import type { Queries } from '../../store/store.js'
import type { Database } from '../databases/find-database.js'
import { Problem, validationFailed } from '../problem.js'

// Rights come from the store at each request, never from the token: see docs/decisions.md.

/** A role with rights that other members do not have. */
type Rank = 'owner' | 'admin'

/** Returns the rights of a role: 2 for an owner, 1 for an admin, 0 for all others. */
const rankOf = (role: string) => (role === 'owner' ? 2 : role === 'admin' ? 1 : 0)

/** @throws {Problem} `role_insufficient` if a role has fewer rights than another one */
export function requireRank(role: string, rank: Rank) {
  if (rankOf(role) < rankOf(rank))
    throw new Problem('role_insufficient', {
      detail: rank === 'owner' ? 'Needs the role owner.' : 'Needs the role admin or owner.',
    })
}

/** Checks whether a member may give or take roles. @throws {Problem} `role_insufficient` */
export function requireRankOver(actorRole: string, roles: readonly string[]) {
  requireRank(actorRole, rankOver(roles))
}

/** Returns whether a member may give or take a role. */
export const isRankOver = (actorRole: string, role: string) => rankOf(actorRole) >= rankOf(rankOver([role]))

/** Returns the role that may give and take roles. */
const rankOver = (roles: readonly string[]): Rank =>
  roles.some((role) => rankOf(role) > 0) ? 'owner' : 'admin'

/** @throws {Problem} `validation_failed` if a database has no such role */
export function requireKnownRole(database: Pick<Database, 'roles'>, role: string) {
  requireNone(unknownRoles(database, [['role', role]]))
}

/**
 * Checks a role that a transaction assigns. The role cannot be removed from the database until the transaction ends.
 *
 * @throws {Problem} `validation_failed` if the database has no such role in the store
 */
export const requireStoredRole = (transaction: Queries, databaseId: string, role: string) =>
  requireStoredRoles(transaction, databaseId, [['role', role]])

/** Does what {@link requireStoredRole} does, for roles of several fields. */
export async function requireStoredRoles(...given: Parameters<typeof unknownStoredRoles>) {
  requireNone(await unknownStoredRoles(...given))
}

function requireNone(errors: FieldError[]) {
  if (errors.length > 0) throw validationFailed(errors)
}

type RoleFields = readonly (readonly [path: string, role: string | undefined])[]

/**
 * Returns the errors of fields with roles that the stored database does not have. The other roles cannot be removed from
 * the database until the transaction ends.
 */
export async function unknownStoredRoles(transaction: Queries, databaseId: string, fields: RoleFields) {
  // Most roles are built in and need no statement.
  if (unknownRoles({ roles: [] }, fields).length === 0) return []
  const { roles = [] } = (await findLockedSettings(transaction, databaseId)) ?? {}
  return unknownRoles({ roles }, fields)
}

/** Returns the errors of fields with roles that a database does not have. */
export const unknownRoles = ({ roles }: Pick<Database, 'roles'>, fields: RoleFields): FieldError[] => {
  const known = [...builtInRoles, ...roles]
  return fields
    .filter(([, role]) => role !== undefined && !known.includes(role))
    .map(([path]) => ({ path, code: 'invalid_type', detail: `must be ${known.join(', ')}` }))
}

/**
 * Returns the problem of a change after which tenants would have no owner.
 *
 * @param hasOtherMember false for the role of the only member, who can still leave and so delete the tenant
 */
export const lastOwner = (tenants: readonly string[], hasOtherMember = true) =>
  new Problem('last_owner', {
    detail: `${
      hasOtherMember
        ? 'Other members would have no owner. Make one of them owner first, or delete the tenant'
        : 'The only member must be owner. Invite another owner first, or delete the tenant'
    }: ${tenants.join(', ')}.`,
    tenants,
  })
