import type { Operations } from '../../endpoints.js'
import type { Features, Invitation, Member, User } from '../../schemas.js'
import { action, emailField, outcomeOf, submit } from '../actions.js'
import { rightsOf, roleName } from '../role.js'
import { type Action, type Field, line, type Outcome } from '../view.js'
import { memberTable, type Row } from './member-table.js'
import type { Account, Section } from './section.js'
import { sureScreen, type Team } from './team.js'

/** Members of a page. The table of a smaller tenant has no search. */
const pageSize = 25

/** Requests of one search at most, each of which reads a part of the members. */
const searchRequests = 10

/** Returns the roles that a member may give and take: an owner all of them, an administrator those of members. The server decides. */
function rolesBelow(features: Features, role: string) {
  const rights = rightsOf(features, role)
  if (rights === 'owner') return features.roles
  return rights === 'admin' ? features.roles.filter((each) => each.rights === 'member') : []
}

/** What the rows of a tenant share. */
interface Place {
  account: Account
  tenantId: string
  usher: Operations
  /** The roles that the user may give and take. */
  given: readonly { name: string }[]
}

/** Sends a mail to an address that is not verified. */
const verification = ({ emailVerified }: User, usher: Operations) =>
  emailVerified
    ? []
    : [
        action('sendMail', 'secondary', () =>
          outcomeOf<unknown>(usher.requestEmailVerification(), () => ({ status: line('sentAgain') })),
        ),
      ]

/** The members of a tenant and its invitations, by pages. */
export function membersOf({ membership }: Team): Section {
  const tenantId = membership.id
  let search = ''
  /** Where the pages before this one begin, and this one. */
  let starts: (string | undefined)[] = [undefined]
  /** The invitation that was refused, because the address of the user is not verified. */
  let refused: string | undefined

  return async function section(account, usher) {
    const { features, user } = account
    const given = rolesBelow(features, membership.role)
    const isFirst = starts.length === 1
    const [page, pending] = await Promise.all([
      readMembers(usher, tenantId, { search, after: starts.at(-1) }),
      given.length > 0 && isFirst ? usher.listInvitations(tenantId) : undefined,
    ])
    const error = page.error ?? pending?.error
    if (error) return error
    const place = { account, tenantId, usher, given }
    const invitations = (pending?.data?.invitations ?? []).filter(({ email }) =>
      email.toLowerCase().includes(search.toLowerCase()),
    )
    const rows = [
      ...invitations.map((each) => invitationRow(each, place)),
      ...page.members.map((each) => memberRow(each, place)),
    ]
    const find = action('find', 'secondary', (values) => {
      search = values.search ?? ''
      starts = [undefined]
      return {}
    })
    const previous = action('previous', 'secondary', () => {
      starts.pop()
      return {}
    })
    const following = action('following', 'secondary', () => {
      starts.push(page.next)
      return {}
    })
    const pager = [...(isFirst ? [] : [previous]), ...(page.next === undefined ? [] : [following])]
    const hasSearch = search !== '' || pager.length > 0
    const invite = submit('invite', async ({ email = '', role = '' }) => {
      const { error: why } = await usher.inviteMember(tenantId, { email, role })
      refused = why?.code === 'email_not_verified' ? email : undefined
      if (!why) return { status: line('sentAgain') }
      if (refused === undefined) return { error: why }
      const screen = await section(account, usher)
      return 'actions' in screen ? { error: why, screen } : { error: why }
    })
    const mayInvite = given.length > 0
    return {
      name: 'members',
      title: line('members'),
      fields: mayInvite ? [emailField('off', refused), roleField(given)] : [],
      actions: [...(mayInvite ? [invite] : []), ...(refused === undefined ? [] : verification(user, usher))],
      content: {
        actions: [
          ...rows.flatMap(({ actions, change }) => (change ? [...actions, change] : actions)),
          find,
          ...pager,
        ],
        draw: (drawing) => memberTable({ rows, pager, find: hasSearch ? find : undefined, search }, drawing),
      },
    }
  }
}

const roleField = (roles: Place['given']): Field => ({
  name: 'role',
  label: line('role'),
  type: 'text',
  autocomplete: 'off',
  value: 'member',
  options: roles.map(({ name }) => ({ value: name, label: roleName(name) })),
})

/** Reads a page. A request of a search may find fewer members than there are. */
async function readMembers(
  usher: Operations,
  tenantId: string,
  { search, after }: { search: string; after: string | undefined },
) {
  const members: Member[] = []
  let next = after
  for (let requests = 0; requests < searchRequests; requests++) {
    const { data, error } = await usher.listMembers(tenantId, {
      limit: pageSize - members.length,
      after: next,
      search: search || undefined,
    })
    if (error) return { error, members }
    members.push(...data.members)
    next = data.next ?? undefined
    if (next === undefined || members.length >= pageSize) break
  }
  return { members, next }
}

function memberRow(member: Member, { account, tenantId, usher, given }: Place): Row {
  const { id, email, preferredName, joinedAt } = member
  const isSelf = id === account.user.id
  const mayChange = given.some(({ name }) => name === member.role)
  const name = preferredName ?? email
  const change = action('role', 'secondary', ({ newRole: role = member.role }) =>
    outcomeOf<unknown>(usher.changeMember(tenantId, id, { role }), async (): Promise<Outcome> => {
      member.role = role
      if (isSelf) await account.refresh()
      return { status: line('roleSaved', { name, role: roleName(role) }), isSame: true }
    }),
  )
  const end = isSelf ? 'leave' : 'remove'
  const remove = action(end, 'secondary', () => ({
    screen: sureScreen(end, name, () =>
      outcomeOf<unknown>(usher.removeMember(tenantId, id), async () => {
        if (isSelf) await account.refresh()
        return { status: line('removed') }
      }),
    ),
  }))
  return {
    ...{ id, name },
    details: preferredName === null ? [] : [{ text: email }],
    roleOf: () => member.role,
    roles: given,
    ...(mayChange && { change: { ...change, id: `role-${id}` } }),
    joinedAt: new Date(joinedAt),
    actions: isSelf || mayChange ? [{ ...remove, id: `${end}-${id}`, object: name }] : [],
  }
}

function invitationRow({ id, email, role, expiresAt }: Invitation, { tenantId, usher, given }: Place): Row {
  const resend = action('sendAgain', 'secondary', () =>
    outcomeOf<unknown>(usher.inviteMember(tenantId, { email, role }), () => ({ status: line('sentAgain') })),
  )
  const withdraw = action('withdraw', 'secondary', () =>
    outcomeOf<unknown>(usher.revokeInvitation(tenantId, id), () => ({ status: line('removed') })),
  )
  const buttonOf = (each: Action) => ({ ...each, id: `${each.id}-${id}`, object: email })
  return {
    ...{ id, name: email },
    details: [line('pending'), line('expiresOn', { date: new Date(expiresAt) })],
    roleOf: () => role,
    roles: [],
    actions: given.some(({ name }) => name === role) ? [resend, withdraw].map(buttonOf) : [],
  }
}
