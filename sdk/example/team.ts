import type { Invitation, Member, User, UsherError } from '@usher/sdk'
import { actionButton, element, formatTime, listItem } from './elements.js'
import { showErrors } from './messages.js'
import { usher } from './usher.js'

/** The roles that every database has. Add those of your product: they have the rights of a member. */
const roles = ['member', 'admin', 'owner']

/** Returns the ID of the team that the URL names, or an empty string. */
export const teamId = () => new URLSearchParams(location.hash.slice(1)).get('team') ?? ''

/** The actions of the forms of a team, by the ID of the form. */
export const teamActions = {
  members: async (value: (name: string) => string) => {
    const [changed, removed, left] = ['change', 'remove', 'leave'].map(value)
    if (changed) return usher.changeMember(teamId(), changed, { role: value(`role-${changed}`) })
    const result = await usher.removeMember(teamId(), removed || left || '')
    if (left && !result.error) history.replaceState(null, '', '#account')
    return result
  },
  invitations: (value: (name: string) => string) =>
    value('revoke')
      ? usher.revokeInvitation(teamId(), value('revoke'))
      : usher.inviteMember(teamId(), { email: value('email'), role: value('role') }),
  'team-name': (value: (name: string) => string) => usher.updateTenant(teamId(), { name: value('name') }),
  'team-deletion': async () => {
    const result = await usher.deleteTenant(teamId())
    if (!result.error) history.replaceState(null, '', '#account')
    return result
  },
}

/** A team as one of its members sees it. */
interface Team {
  id: string
  name: string
  /** Role of the current user. */
  role: string
  userId: string
  members: readonly Member[]
  /** Where the next page of members begins, or null. */
  next: string | null
  invitations: readonly Invitation[]
}

/** Returns a team of a user, or the error, which is undefined if the user is not a member. */
export async function findTeam(user: User, id: string): Promise<{ team?: Team; error?: UsherError }> {
  const membership = user.memberships.find((each) => each.id === id)
  if (!membership) return {}
  const [members, pending] = await Promise.all([
    usher.listMembers(id),
    isAdmin(membership.role) ? usher.listInvitations(id) : undefined,
  ])
  const error = members.error ?? pending?.error
  if (members.error || error) return { error }
  const { name, role } = membership
  const invitations = pending?.data?.invitations ?? []
  return { team: { id, name, role, userId: user.id, ...members.data, invitations } }
}

/** Returns whether a member may invite others and rename the team. */
const isAdmin = (role: string) => role === 'owner' || role === 'admin'

/** Returns the roles that a member may give and take. The server decides. */
const rolesBelow = (role: string) => (role === 'owner' ? roles : role === 'admin' ? roles.slice(0, 1) : [])

const title = document.getElementById('team-title')
const membersForm = document.forms.namedItem('members') as HTMLFormElement
const invitationsForm = document.forms.namedItem('invitations') as HTMLFormElement
const nameForm = document.forms.namedItem('team-name') as HTMLFormElement
const deletionForm = document.forms.namedItem('team-deletion') as HTMLFormElement
const more = document.querySelector<HTMLButtonElement>('#more-members')

/** Shows a team, or nothing. */
export function showTeam(team?: Team) {
  title?.replaceChildren(team?.name ?? 'Team')
  membersForm.querySelector('ul')?.replaceChildren()
  if (team) showMembers(team)
  invitationsForm.hidden = nameForm.hidden = !team || !isAdmin(team.role)
  deletionForm.hidden = team?.role !== 'owner'
  nameForm.querySelector('input')?.setAttribute('value', team?.name ?? '')
  const items = team?.invitations.map((each) => invitationItem(each, team))
  invitationsForm.querySelector('ul')?.replaceChildren(...(items ?? []))
  const options = rolesBelow(team?.role ?? '').map((role) => new Option(role))
  invitationsForm.querySelector('select')?.replaceChildren(...options)
}

/** Adds a page of members to the list. */
function showMembers(team: Team) {
  membersForm.querySelector('ul')?.append(...team.members.map((each) => memberItem(each, team)))
  if (!more) return
  more.hidden = !team.next
  more.onclick = async () => {
    const { data, error } = await usher.listMembers(team.id, { after: team.next ?? undefined })
    if (error) showErrors(membersForm, error)
    else if (teamId() === team.id) showMembers({ ...team, ...data })
  }
}

function memberItem({ id, email, preferredName, role }: Member, team: Team) {
  const name = preferredName ?? email
  const texts = [element('strong', name), element('small', role)]
  if (preferredName) texts.splice(1, 0, element('small', email))
  const controls = element('div', '')
  const isSelf = id === team.userId
  const given = rolesBelow(team.role)
  const mayChange = given.length === roles.length || (given.length > 0 && !isAdmin(role))
  if (mayChange) {
    const select = Object.assign(element('select', ''), { name: `role-${id}`, ariaLabel: `Role of ${name}` })
    const isOwnRole = !roles.includes(role)
    const options = isOwnRole ? [...given, role] : given
    select.append(...options.map((each) => new Option(each, each, each === role, each === role)))
    controls.append(
      select,
      actionButton({ text: 'Change', name: 'change', value: id, object: `role of ${name}` }),
    )
  }
  const removal = isSelf
    ? { text: 'Leave', name: 'leave', object: team.name, success: 'You have left the team.' }
    : { text: 'Remove', name: 'remove', object: name, success: 'Member removed.' }
  if (isSelf || mayChange) controls.append(actionButton({ ...removal, value: id }))
  return listItem(...texts, controls)
}

function invitationItem({ id, email, role, expiresAt }: Invitation, team: Team) {
  const texts = [element('strong', email), element('small', role)]
  const expiry = element('small', `Expires ${formatTime(expiresAt)}`)
  if (!rolesBelow(team.role).includes(role) && isAdmin(role)) return listItem(...texts, expiry)
  const revoke = { text: 'Revoke', name: 'revoke', object: `the invitation of ${email}` }
  return listItem(...texts, expiry, actionButton({ ...revoke, value: id, success: 'Invitation revoked.' }))
}
