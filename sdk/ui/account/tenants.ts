import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Features, Invitation, Member, Membership } from '../../schemas.js'
import { action, emailField, outcomeOf, submit } from '../actions.js'
import { type Field, type Item, line, type Screen } from '../view.js'
import { type Account, roleName, type Section } from './section.js'

/** The tenants of the user. */
export const tenants: Section = (account, usher) => ({
  name: 'tenants',
  title: line('tenants'),
  items: account.user.memberships.map(({ id, name, role }) => ({
    id,
    title: { text: name },
    details: [roleName(role)],
  })),
  fields: [{ name: 'name', label: line('tenantName'), type: 'text', autocomplete: 'organization' }],
  actions: [
    submit('createTenant', ({ name = '' }) =>
      outcomeOf<unknown>(usher.createTenant({ name }), async () => {
        await account.refresh()
        return { status: line('saved') }
      }),
    ),
  ],
})

type Rights = 'owner' | 'admin' | 'member'

/** Returns the roles that a member may give and take: an owner all of them, an administrator those of members. The server decides. */
function rolesBelow({ roles }: Features, rights: Rights) {
  if (rights === 'owner') return roles
  return rights === 'admin' ? roles.filter((each) => each.rights === 'member') : []
}

export const rightsOf = ({ roles }: Features, role: string) =>
  roles.find(({ name }) => name === role)?.rights ?? 'member'

const roleField = (name: string, roles: readonly { name: string }[], value?: string): Field => ({
  name,
  label: line('role'),
  type: 'text',
  autocomplete: 'off',
  value,
  options: roles.map((role) => ({ value: role.name, label: roleName(role.name) })),
})

/** What the sections of a tenant share. */
export interface Team extends Account {
  readonly membership: Membership
}

/** Reads another page of members. */
type Page = (shown: readonly Member[], after?: string) => Promise<Screen | UsherError<string>>

/** The members of a tenant, a page after the other. */
export const membersOf =
  ({ membership }: Team): Section =>
  async (account, usher) => {
    const screen: Screen = { name: 'members', title: line('members'), actions: [] }
    const read: Page = async (shown, after) => {
      const { data, error } = await usher.listMembers(membership.id, { limit: 50, after })
      if (error) return error
      const members = [...shown, ...data.members]
      const { next } = data
      return {
        ...screen,
        items: members.map((each) => memberItem(each, { account, membership, usher })),
        actions:
          next === null
            ? []
            : [
                action('more', 'secondary', async () => {
                  const page = await read(members, next)
                  return 'actions' in page ? { screen: page } : { error: page }
                }),
              ],
      }
    }
    return read([])
  }

interface Place {
  account: Account
  membership: Membership
  usher: Operations
}

function memberItem(
  { id, email, preferredName, role, joinedAt }: Member,
  { account, membership, usher }: Place,
): Item {
  const { features, user } = account
  const given = rolesBelow(features, rightsOf(features, membership.role))
  const isSelf = id === user.id
  const mayChange = given.some(({ name }) => name === role)
  const name = preferredName ?? email
  const fieldName = `role-${id}`
  const change = action('change', 'secondary', (values) =>
    outcomeOf<unknown>(
      usher.changeMember(membership.id, id, { role: values[fieldName] ?? role }),
      async () => {
        if (isSelf) await account.refresh()
        return { status: line('saved') }
      },
    ),
  )
  const remove = action(isSelf ? 'leave' : 'remove', 'danger', () => ({
    screen: sureScreen(isSelf ? 'leave' : 'remove', name, () =>
      outcomeOf<unknown>(usher.removeMember(membership.id, id), async () => {
        if (isSelf) await account.refresh()
        return { status: line('removed') }
      }),
    ),
  }))
  return {
    id,
    title: { text: name },
    details: [
      ...(preferredName === null ? [] : [{ text: email }]),
      ...(mayChange ? [] : [roleName(role)]),
      line('joinedOn', { date: new Date(joinedAt) }),
    ],
    ...(mayChange && { field: { ...roleField(fieldName, given, role), object: name } }),
    actions: [
      ...(mayChange ? [{ ...change, id: `change-${id}`, object: name }] : []),
      ...(isSelf || mayChange ? [{ ...remove, id: `remove-${id}`, object: name }] : []),
    ],
  }
}

/** Asks again before something that cannot be undone. */
const sureScreen = (
  id: 'leave' | 'remove' | 'deleteTenant',
  name: string,
  run: Screen['actions'][number]['run'],
): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [
    { text: name },
    ...(id === 'leave' ? [line('leaveHint')] : id === 'deleteTenant' ? [line('tenantDeletionHint')] : []),
  ],
  actions: [action(id, 'danger', run), action('keep', 'secondary', () => ({}))],
})

/** The invitations of a tenant. */
export const invitationsOf =
  ({ membership }: Team): Section =>
  async (account, usher) => {
    const screen: Screen = { name: 'invitations', title: line('invitations'), actions: [] }
    const { data, error } = await usher.listInvitations(membership.id)
    if (error) return error
    const given = rolesBelow(account.features, rightsOf(account.features, membership.role))
    const mayRevoke = ({ role }: Invitation) => given.some(({ name }) => name === role)
    const lowest = given.at(-1)?.name
    return {
      ...screen,
      items: data.invitations.map((invitation) => ({
        id: invitation.id,
        title: { text: invitation.email },
        details: [roleName(invitation.role), line('expiresOn', { date: new Date(invitation.expiresAt) })],
        actions: mayRevoke(invitation)
          ? [
              {
                ...action('revoke', 'danger', () =>
                  outcomeOf<unknown>(usher.revokeInvitation(membership.id, invitation.id), () => ({
                    status: line('removed'),
                  })),
                ),
                id: `revoke-${invitation.id}`,
                object: invitation.email,
              },
            ]
          : [],
      })),
      fields: [{ ...emailField('off') }, roleField('role', given, lowest)],
      actions: [
        submit('invite', ({ email = '', role = '' }) =>
          outcomeOf<unknown>(usher.inviteMember(membership.id, { email, role }), () => ({
            status: line('invited'),
          })),
        ),
      ],
    }
  }

/** The name of a tenant. */
export const nameOf =
  ({ membership }: Team): Section =>
  (account, usher) => ({
    name: 'tenant-profile',
    title: line('tenantProfile'),
    fields: [
      {
        name: 'name',
        label: line('tenantName'),
        type: 'text',
        autocomplete: 'organization',
        value: account.user.memberships.find(({ id }) => id === membership.id)?.name ?? membership.name,
      },
    ],
    actions: [
      submit('save', ({ name = '' }) =>
        outcomeOf<unknown>(usher.updateTenant(membership.id, { name }), async () => {
          await account.refresh()
          return { status: line('saved') }
        }),
      ),
    ],
  })

/** Deletes a tenant. */
export const tenantDeletionOf =
  ({ membership }: Team): Section =>
  (account, usher) => ({
    name: 'tenant-deletion',
    title: line('tenantDeletion'),
    lines: [line('tenantDeletionHint')],
    actions: [
      action('deleteTenant', 'danger', () => ({
        screen: sureScreen('deleteTenant', membership.name, () =>
          outcomeOf<unknown>(usher.deleteTenant(membership.id), async () => {
            await account.refresh()
            return { status: line('deleted') }
          }),
        ),
      })),
    ],
  })
