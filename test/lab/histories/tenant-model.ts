import { byInvitation, isInvitationOperation, rolesOf, withoutInviter } from './invitation-model.js'
import type { Model } from './linearize.js'
import { isRankOver, listed, rank, type TenantOperation, type TenantState, withRole } from './tenant-state.js'

const hasOtherOwner = ({ roles }: TenantState, user: string) =>
  Object.entries(roles).some(([each, role]) => each !== user && role === 'owner')

function without(state: TenantState, user: string, isRemovedIfEmpty: boolean): TenantState {
  const { [user]: _, ...roles } = state.roles
  const isRemoved = isRemovedIfEmpty && Object.keys(roles).length === 0
  return { ...state, roles, exists: state.exists && !isRemoved, invited: isRemoved ? {} : state.invited }
}

/** Returns why an operation of a member is refused, or the next state. */
function byMember(state: TenantState, operation: TenantOperation): string | TenantState {
  const { actor, name, target, role } = operation
  const former = state.roles[target]
  const isLast = former === 'owner' && !hasOtherOwner(state, target)
  const isAlone = Object.keys(state.roles).length === 1
  if (name === 'deleteMe') {
    if (state.gone.includes(actor)) return 'refused'
    if (isLast && !isAlone) return 'last_owner'
    const next = withoutInviter({ ...state, gone: [...state.gone, actor] }, actor)
    return former ? without(next, actor, true) : next
  }
  if (state.gone.includes(actor)) return 'refused'
  const own = state.roles[actor]
  if (own === undefined) return 'tenant_not_found'
  if (name === 'change') {
    if (rank(own) === 0) return 'role_insufficient'
    if (former === undefined) return 'member_not_found'
  }
  const isOwn = name === 'remove' && actor === target
  if (!isOwn && !isRankOver(own, name === 'change' ? [former, role] : [former])) return 'role_insufficient'
  if (former === undefined) return state
  if (name === 'change') return isLast && role !== 'owner' ? 'last_owner' : withRole(state, target, role)
  return isLast && !isAlone ? 'last_owner' : without(state, target, true)
}

/** Returns why a command is refused, or the next state. The last owner does not bind the operator. */
function byOperator(
  state: TenantState,
  { name, target, role, outcome }: TenantOperation,
): string | TenantState {
  // The command has looked the user and the tenant up earlier, when both existed.
  if (name === 'take' && outcome === 'not_a_member' && state.roles[target] === undefined) return outcome
  if (!state.exists || state.gone.includes(target)) return 'not_found'
  if (name === 'put') return withRole(state, target, role)
  return state.roles[target] === undefined ? 'not_a_member' : without(state, target, false)
}

/** Returns why a list is refused, or the list. The right is read with the user of the token, and the list later. */
function listOf(state: TenantState, { actor, name, outcome }: TenantOperation) {
  if (outcome === 'refused') return state.gone.includes(actor) ? outcome : undefined
  const own = state.roles[actor]
  if (outcome === 'tenant_not_found') return own === undefined ? outcome : undefined
  if (name === 'list') return listed(state.roles)
  if (outcome === 'role_insufficient') return rank(own) === 0 ? outcome : undefined
  return listed(rolesOf(state.invited))
}

/** The sequential model of a tenant. @param roles of its first members. @param gone users without an account */
export const modelOf = (
  roles: Record<string, string>,
  gone: readonly string[] = [],
): Model<TenantState, TenantOperation> => ({
  initial: { exists: true, roles, gone: [...gone], invited: {} },
  step(state, operation) {
    const { actor, name, outcome } = operation
    if (name === 'list' || name === 'listInvited')
      return outcome === undefined || outcome === listOf(state, operation) ? state : undefined
    const next = isInvitationOperation(name)
      ? byInvitation(state, operation)
      : actor === 'operator'
        ? byOperator(state, operation)
        : byMember(state, operation)
    if (typeof next === 'string') return outcome === undefined || outcome === next ? state : undefined
    return outcome === undefined || outcome === 'done' ? next : undefined
  },
  keyOf({ exists, roles, gone, invited }) {
    const codes = Object.entries(invited).map(([user, each]) => `${user} ${Object.values(each)}`)
    return `${exists} ${listed(roles)} ${[...gone].sort()} ${codes.sort()}`
  },
})
