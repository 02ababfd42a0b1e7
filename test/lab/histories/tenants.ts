import { setTimeout as pause } from 'node:timers/promises'
import { putMember } from '../../support/operator-changes.js'
import { codeIn } from '../../support/smtp.js'
import { type Change, takeChanges } from './changes.js'
import { path } from './commands.js'
import { seats, unverified } from './invitation-model.js'
import { linearize } from './linearize.js'
import type { Random } from './random.js'
import type { World } from './round.js'
import { modelOf } from './tenant-model.js'
import {
  type Chosen,
  command,
  type InvitationCode,
  request,
  signUp,
  type Tenant,
  type TenantUser,
} from './tenant-requests.js'
import type { TenantOperation } from './tenant-state.js'

const initial: Record<string, string> = { a: 'owner', b: 'owner', c: 'admin', d: 'member' }
/** Users who are not members at first. The second one has no account. */
const invitees = ['e', 'f']
const letters = [...Object.keys(initial), ...invitees]
const roles = ['owner', 'owner', 'admin', 'member']

/**
 * Signs up five users. The first one is the owner of a new tenant, which three others join: one as owner. A sixth has only
 * an address.
 */
async function createTenant(world: World, random: Random): Promise<Tenant> {
  const { store } = world.operator.context
  const users = new Map<string, TenantUser>()
  let tenantId = ''
  for (const letter of letters) {
    const user = { email: `${letter}-${random.next()}@example.com`, id: '', jwt: '' }
    users.set(letter, user)
    if (letter === 'f') continue
    const response = await signUp(world, random, user.email, letter === 'a' ? { newTenant: 'Looms' } : {})
    const { id, tenants, token } = (response ?? { body: {} }).body as {
      id: string
      tenants: string[]
      token: { jwt: string }
    }
    Object.assign(user, { id, jwt: token.jwt })
    if (letter === 'a') tenantId = tenants[0] ?? ''
    const role = letter !== 'a' && initial[letter]
    if (role) await putMember({ store, now: new Date() }, path, { tenantId, userRef: id, role })
  }
  const { prisma } = world.store
  const isVerified = [...users].filter(([letter, { id }]) => id && letter !== unverified)
  await prisma.user.updateMany({
    where: { id: { in: isVerified.map(([, { id }]) => id) } },
    data: { emailVerifiedAt: new Date() },
  })
  await prisma.tenant.updateMany({ where: { id: tenantId }, data: { seats } })
  return { tenantId, users, invitations: new Map() }
}

/** Chooses what an actor does. Owners are concerned most often. */
function choose(
  actor: string,
  random: Random,
  { users, invitations, codes, isEarly }: Tenant & { codes: InvitationCode[]; isEarly: boolean },
): Chosen | undefined {
  const target = random.pick(['a', 'b', ...letters].filter((letter) => users.get(letter)?.id)) ?? ''
  const role = random.pick(roles) ?? ''
  if (actor === 'operator') return { name: random.chance(0.7) ? 'put' : 'take', target, role }
  // Mostly a code of one's own.
  const own = random.recent(codes.filter(({ target }) => target === actor))
  const code = random.chance(0.1) ? random.recent(codes) : own
  if (!users.get(actor)?.id) return code && { name: 'signUp', target: code.target, role: '', code }
  if (code && random.chance(invitees.includes(actor) ? 0.6 : 0.2))
    return { name: 'accept', target: code.target, role: '', code }
  if (random.chance(isEarly ? 0.6 : 0.2))
    return { name: 'invite', target: random.pick([...letters, ...invitees, ...invitees]) ?? '', role }
  const invited = random.pick([...invitations.keys()])
  if (invited && random.chance(0.08))
    return { name: 'revoke', target: invited, role: '', invitationId: invitations.get(invited) ?? '' }
  if (random.chance(0.07)) return { name: 'deleteMe', target: actor, role }
  if (random.chance(0.2)) return { name: random.chance(0.6) ? 'list' : 'listInvited', target, role }
  if (random.chance(0.35)) return { name: 'remove', target: random.chance(0.6) ? actor : target, role }
  return { name: 'change', target, role }
}

/** Returns operations with the ids of the codes that invitations have sent. */
function withCodes(history: readonly TenantOperation[], changes: readonly Change[], { users }: Tenant) {
  const keyOf = (id: unknown, inviterId: unknown, createdAt: unknown) =>
    `${id} ${inviterId} ${new Date(String(createdAt)).getTime()}`
  const codeIds = new Map(
    changes.flatMap(({ table, after }) =>
      table === 'invitation' && after
        ? [[keyOf(after.id, after.inviter_id, after.created_at), String(after.code_id)] as const]
        : [],
    ),
  )
  return history.map((operation) => {
    const { name, actor, invitationId, createdAt } = operation
    const codeId = name === 'invite' && codeIds.get(keyOf(invitationId, users.get(actor)?.id, createdAt))
    return codeId ? { ...operation, codeId } : operation
  })
}

const reads = ['list', 'listInvited']

/** Waits for the first mail with a code, for 100 ms at most. */
async function waitForCode(codes: readonly InvitationCode[], actor: string) {
  for (let turn = 0; turn < 20 && !codes.some(({ target }) => target === actor); turn++) await pause(5)
}

/** Lets users and an operator change a new tenant concurrently. Returns the errors of the history. */
export async function runTenantRound(world: World, random: Random, operations: number) {
  const tenant = await createTenant(world, random)
  const history: TenantOperation[] = []
  const codes: InvitationCode[] = []
  world.receive = ({ to, text }) => {
    const [target] = [...tenant.users].find(([, { email }]) => email === to) ?? []
    const value = codeIn({ parsed: { text } })
    if (target && !codes.some((code) => code.value === value)) codes.push({ target, value })
  }
  await Promise.all(
    [...letters, 'operator'].map(async (actor) => {
      for (let index = 0; index < operations; index++) {
        if (index === 0 && invitees.includes(actor)) await waitForCode(codes, actor)
        const chosen = choose(actor, random, { ...tenant, codes, isEarly: index < 2 })
        if (!chosen) continue
        const call = performance.now()
        const known =
          actor === 'operator'
            ? await command(world, tenant, chosen)
            : await request(world, tenant, { ...chosen, actor, random })
        const end = known.outcome === undefined ? Number.POSITIVE_INFINITY : performance.now()
        const { code, ...input } = chosen
        const times = { call, return: end, isRead: reads.includes(chosen.name) }
        const codeId = code && { codeId: code.value.split('.')[0] ?? '' }
        history.push({ ...input, ...codeId, actor, outcome: undefined, ...known, ...times })
        // The token may have been revoked, and the new one is unknown.
        if (actor === unverified && chosen.name === 'accept' && known.outcome === undefined) break
      }
    }),
  )
  // Rounds of accounts audit only their own changes.
  const all = withCodes(history, await takeChanges(world.store), tenant)
  return { errors: errorsOf(all), operations: all.length, accepted: all.filter(isAccepted).length }
}

const isAccepted = ({ name, outcome }: TenantOperation) =>
  ['accept', 'signUp'].includes(name) && outcome === 'done'

function errorsOf(history: readonly TenantOperation[]) {
  const verdict = linearize(modelOf(initial, ['f']), history)
  if (verdict.is === 'linearizable') return ''
  const lines = (operations: readonly TenantOperation[]) =>
    operations.map(
      ({ actor, name, target, role, outcome, ...ids }) =>
        `  ${actor} ${name} ${target} ${role} ${ids.invitationId?.slice(-4) ?? ''} ${ids.codeId?.slice(-4) ?? ''} -> ${outcome}`,
    )
  return [
    ...[`${verdict.is}:`, ...lines(verdict.order), `state ${JSON.stringify(verdict.state)}, then one of`],
    ...lines(verdict.next),
  ].join('\n')
}
