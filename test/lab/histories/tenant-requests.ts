import { putMember, removeFromTenant } from '../../support/operator-changes.js'
import { path } from './commands.js'
import type { Random } from './random.js'
import type { World } from './round.js'
import { listed, type TenantOperation } from './tenant-state.js'

const root = `/workspaces/${path.workspaceSlug}/databases/${path.databaseName}`
const password = 'correct horse battery'

/** A user of a history. Without account, id and token are empty. */
export interface TenantUser {
  email: string
  id: string
  jwt: string
}

/** A tenant with the users of a history, by letter. */
export interface Tenant {
  tenantId: string
  users: Map<string, TenantUser>
  /** The last invitation of each user that was sent. */
  invitations: Map<string, string>
}

/** A code that a mail has brought. */
export interface InvitationCode {
  target: string
  value: string
}

/** What an actor does. */
export type Chosen = Pick<TenantOperation, 'name' | 'target' | 'role' | 'invitationId'> & {
  code?: InvitationCode
}

let requests = 0

/** Sends a request to one of the servers. Returns undefined if its outcome is unknown. */
async function send(
  { servers }: World,
  random: Random,
  [method, url, jwt, payload]: [string, string, string?, object?],
) {
  const response = await random.pick(servers)?.send({
    method: method as 'GET',
    url: root + url,
    headers: {
      ...(payload && { 'content-type': 'application/json' }),
      ...(jwt && { authorization: `Bearer ${jwt}` }),
      'x-forwarded-for': `10.9.${(++requests >> 8) & 255}.${requests & 255}`,
    },
    ...(payload && { payload }),
  })
  return response === 'not_sent' ? undefined : response
}

/** Signs a user up. Returns the response, or undefined if it is unknown. */
export const signUp = (world: World, random: Random, email: string, more: object) =>
  send(world, random, ['POST', '/users', undefined, { email, password, ...more }])

/** Runs a command. Returns its outcome. */
export async function command({ operator }: World, { tenantId, users }: Tenant, chosen: Chosen) {
  const member = { tenantId, userRef: users.get(chosen.target)?.id ?? '' }
  const operation = { store: operator.context.store, now: new Date() }
  try {
    await (chosen.name === 'put'
      ? putMember(operation, path, { ...member, role: chosen.role })
      : removeFromTenant(operation, path, member))
    return { outcome: 'done' }
  } catch (error) {
    const { message } = error as Error
    if (/does not exist/.test(message)) return { outcome: 'not_found' }
    return { outcome: /is not a member/.test(message) ? 'not_a_member' : message }
  }
}

/** Fields of responses that tell what has happened. */
interface Body {
  code?: string
  id?: string
  createdAt?: string
  role?: string
  tenants?: string[]
  token?: { jwt: string }
  members?: { id: string; role: string }[]
  invitations?: { email: string; role: string }[]
}

const refusals = ['token_invalid', 'invalid_credentials', 'validation_failed']

/** Sends the request of a user. Returns what is known of the operation then: its outcome, unless it is unknown. */
export async function request(
  world: World,
  tenant: Tenant,
  { actor, random, ...chosen }: Chosen & { actor: string; random: Random },
): Promise<Partial<TenantOperation>> {
  const response = await sent(world, tenant, { actor, random, ...chosen })
  if (!response) return {}
  const { code, ...body } = response.body as Body
  if (code) return { outcome: refusals.includes(code) ? 'refused' : code }
  const { users } = tenant
  const letterOf = (is: (user: TenantUser) => boolean) => [...users].find(([, user]) => is(user))?.[0] ?? '?'
  if (body.members)
    return {
      outcome: listed(
        Object.fromEntries(body.members.map(({ id, role }) => [letterOf((user) => user.id === id), role])),
      ),
    }
  if (body.invitations)
    return {
      outcome: listed(
        Object.fromEntries(
          body.invitations.map(({ email, role }) => [letterOf((user) => user.email === email), role]),
        ),
      ),
    }
  if (chosen.name === 'invite') {
    const { id: invitationId = '', createdAt = '' } = body
    tenant.invitations.set(chosen.target, invitationId)
    return { outcome: 'done', invitationId, createdAt }
  }
  if (chosen.name === 'accept') {
    const user = users.get(actor)
    if (!body.token || !user) return { outcome: 'done', role: body.role ?? '' }
    const former = user.jwt
    user.jwt = body.token.jwt
    const me = await send(world, random, ['GET', '/users/me', former])
    const isRevoked = me === undefined || (me.body as Body).code === 'token_invalid'
    return { outcome: isRevoked ? 'done' : 'a token of a reclaimed account lives', role: body.role ?? '' }
  }
  if (chosen.name === 'signUp') {
    const user = users.get(actor)
    if (user) Object.assign(user, { id: body.id, jwt: body.token?.jwt })
    return { outcome: 'done' }
  }
  return { outcome: 'done' }
}

function sent(
  world: World,
  { tenantId, users }: Tenant,
  { actor, name, target, role, invitationId, code, random }: Chosen & { actor: string; random: Random },
) {
  const { email: address = '', id } = users.get(target) ?? {}
  const { email = '', jwt } = users.get(actor) ?? {}
  const url = `/tenants/${tenantId}/members`
  const invitations = `/tenants/${tenantId}/invitations`
  const to = (...request: [string, string, object?]) => {
    const [method, path, payload] = request
    return send(world, random, [method, path, jwt, payload])
  }
  switch (name) {
    case 'change':
      return to('PATCH', `${url}/${id}`, { role })
    case 'remove':
      return to('DELETE', `${url}/${id}`)
    case 'list':
      return to('GET', url)
    case 'deleteMe':
      return to('POST', '/users/me/deletion', { password })
    case 'invite':
      return to('POST', invitations, { email: address, role })
    case 'revoke':
      return to('DELETE', `${invitations}/${invitationId}`)
    case 'listInvited':
      return to('GET', invitations)
    case 'accept':
      return to('POST', '/invitations/accept', { code: code?.value })
    default:
      return signUp(world, random, email, { invitationCode: code?.value })
  }
}
