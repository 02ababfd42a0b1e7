import type { Interval } from './linearize.js'

/** An operation on a tenant, as a member, an invited user or the operator saw it. Users are letters. */
export interface TenantOperation extends Interval {
  /** `operator` for a command. */
  actor: string
  name: MemberOperation | InvitationOperation | 'put' | 'take'
  /** The member whom it concerns, or the user who has got the mail with the code. */
  target: string
  /** The new role. After an acceptance, the role that the response names. */
  role: string
  /** Id of an invitation to revoke, or of one that was just sent. */
  invitationId?: string
  /** When the response says that an invitation was created. */
  createdAt?: string
  /** Id of the code that an invitation has sent or that was used. */
  codeId?: string
  /** Undefined if it is unknown. The code of a refusal, `done`, or the listed roles. */
  outcome: string | undefined
}

export type MemberOperation = 'change' | 'remove' | 'list' | 'deleteMe'
export type InvitationOperation = 'invite' | 'revoke' | 'accept' | 'signUp' | 'listInvited'

/** An invitation of a user that was not accepted. */
export interface PendingInvitation {
  id: string
  codeId: string | undefined
  role: string
  inviter: string
}

/** A tenant with its members and their roles. */
export interface TenantState {
  exists: boolean
  roles: Record<string, string>
  /** Invitations by user. */
  invited: Record<string, PendingInvitation>
  /** Users without an account: they have deleted it, or did not sign up yet. */
  gone: string[]
}

/** Returns roles as text, for comparisons. */
export const listed = (roles: Record<string, string>) =>
  Object.entries(roles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map((each) => each.join(' '))
    .join(', ')

export const rank = (role = '') => ['admin', 'owner'].indexOf(role) + 1

/** Returns whether a member may give or take all of some roles. */
export const isRankOver = (actorRole: string | undefined, roles: readonly (string | undefined)[]) =>
  rank(actorRole) >= (Math.max(...roles.map(rank)) > 0 ? 2 : 1)

export const withRole = (state: TenantState, user: string, role: string): TenantState => ({
  ...state,
  roles: { ...state.roles, [user]: role },
})
