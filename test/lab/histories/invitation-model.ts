import {
  type InvitationOperation,
  isRankOver,
  type PendingInvitation,
  rank,
  type TenantOperation,
  type TenantState,
  withRole,
} from './tenant-state.js'

/** Members that the tenant of a history has room for. */
export const seats = 5
/** The user whose address is not verified until an invitation is accepted, which revokes the tokens and returns a new one. */
export const unverified = 'd'

const names = ['invite', 'revoke', 'accept', 'signUp', 'listInvited']

export const isInvitationOperation = (name: string): name is InvitationOperation => names.includes(name)

/** Returns the roles of invitations by user. */
export const rolesOf = (invited: TenantState['invited']) =>
  Object.fromEntries(Object.entries(invited).map(([user, { role }]) => [user, role]))

/** Returns the state without the invitations of a user whose account is deleted. */
export const withoutInviter = (state: TenantState, user: string): TenantState => ({
  ...state,
  invited: Object.fromEntries(Object.entries(state.invited).filter(([, { inviter }]) => inviter !== user)),
})

function withoutInvitation(state: TenantState, user: string): TenantState {
  const { [user]: _, ...invited } = state.invited
  return { ...state, invited }
}

/** Returns why an operation on invitations is refused, or the next state. */
export function byInvitation(state: TenantState, operation: TenantOperation): string | TenantState {
  const { actor, name } = operation
  if (name === 'signUp') return bySignUp(state, operation)
  if (name === 'accept') return byAcceptance(state, operation)
  if (state.gone.includes(actor)) return 'refused'
  const own = state.roles[actor]
  if (own === undefined) return 'tenant_not_found'
  if (rank(own) === 0) return 'role_insufficient'
  return name === 'invite' ? byInviter(state, operation) : byRevocation(state, operation)
}

function byInviter(
  state: TenantState,
  { actor, target, role, invitationId = '', codeId, outcome }: TenantOperation,
) {
  const own = state.roles[actor]
  const former = state.invited[target]
  // The right over the new role is read before the tenant is locked, and again then.
  if (!isRankOver(own, [role])) return 'role_insufficient'
  if (state.roles[target] !== undefined) return 'already_member'
  if (former && !isRankOver(own, [former.role])) return 'role_insufficient'
  if (outcome === 'done' && former && former.id !== invitationId) return 'another invitation'
  const pending = { id: invitationId, codeId, role, inviter: actor }
  return { ...state, invited: { ...state.invited, [target]: pending } }
}

function byRevocation(state: TenantState, { actor, invitationId }: TenantOperation) {
  const [user, pending] = Object.entries(state.invited).find(([, { id }]) => id === invitationId) ?? []
  if (!user) return state
  return isRankOver(state.roles[actor], [pending?.role])
    ? withoutInvitation(state, user)
    : 'role_insufficient'
}

/** Returns the invitation of the code of an operation, and whether it can no longer be accepted. */
function codeOf(state: TenantState, { target, codeId }: TenantOperation) {
  const pending = state.invited[target]
  // The code of an invitation whose outcome is unknown is unknown too.
  if (!pending || (pending.codeId ?? codeId) !== codeId) return undefined
  const isVoid =
    state.roles[target] !== undefined || !isRankOver(state.roles[pending.inviter], [pending.role])
  return { ...pending, isVoid }
}

function byAcceptance(state: TenantState, operation: TenantOperation) {
  const { actor, target, outcome } = operation
  const pending = codeOf(state, operation)
  const isInvalid = !pending || pending.isVoid
  // A request that began before the deletion of the account reads the code first.
  if (state.gone.includes(actor)) return isInvalid && outcome === 'code_invalid' ? outcome : 'refused'
  if (isInvalid) return 'code_invalid'
  if (actor !== target) return 'invitation_for_other_address'
  return joined(state, pending, operation)
}

function bySignUp(state: TenantState, operation: TenantOperation) {
  const { actor, target } = operation
  const pending = codeOf(state, operation)
  // The address is compared before the tenant is locked.
  if (pending && actor !== target) return 'invitation_for_other_address'
  if (!pending || pending.isVoid) return 'code_invalid'
  return joined({ ...state, gone: state.gone.filter((each) => each !== actor) }, pending, operation)
}

function joined(
  state: TenantState,
  { role }: PendingInvitation,
  { actor, name, outcome, ...given }: TenantOperation,
) {
  if (Object.keys(state.roles).length >= seats) return 'seats_full'
  if (name === 'accept' && outcome === 'done' && given.role !== role) return 'another role'
  return withRole(withoutInvitation(state, actor), actor, role)
}
