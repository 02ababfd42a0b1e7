import type { Received } from '../../support/receiver.js'
import type { Change } from './changes.js'

const isSet = (value: unknown) => value !== null && value !== undefined

/** Returns the events that a change of a row must have. */
function eventsOf({ table, before, after }: Change, deleted: ReadonlySet<unknown>): string[] {
  const row = after ?? before
  const events: string[] = []
  const add = (type: string, id: unknown) => events.push(`${type} ${id}`)
  if (table === 'tenant' && !before) add('tenant.created', row?.id)
  if (table === 'tenant' && !after) add('tenant.deleted', row?.id)
  if (table === 'membership' && before && after) {
    if (before.role !== after.role) add('tenant.role_changed', row?.user_id)
  } else if (table === 'membership' && !deleted.has(row?.user_id))
    add(before ? 'tenant.user_removed' : 'tenant.user_added', row?.user_id)
  if (table !== 'user') return events
  if (!before) {
    add('user.created', row?.id)
    if (after?.email_verified_at) add('user.email_verified', row?.id)
  } else if (!after) add('user.deleted', row?.id)
  else {
    if (before.preferred_name !== after.preferred_name) add('user.updated', row?.id)
    const isVerified = !before.email_verified_at && after.email_verified_at
    if (isVerified) add('user.email_verified', row?.id)
    // A proof that revokes.
    if (isVerified && before.generation !== after.generation) add('user.reclaimed', row?.id)
    if (after.password_hash && before.password_hash !== after.password_hash)
      add('user.password_changed', row?.id)
    if (isSet(before.disabled_at) !== isSet(after.disabled_at))
      add(after.disabled_at ? 'user.disabled' : 'user.enabled', row?.id)
  }
  return events
}

interface Payload {
  type: string
  userId?: string
  tenantId?: string
}

const isEvent = ({ table, before, after }: Change) =>
  table === 'outbox' && !before && after?.kind === 'webhook'

function eventIn({ after }: Change) {
  const { type, userId, tenantId } = (after?.payload ?? {}) as Payload
  return `${type} ${type === 'tenant.created' || type === 'tenant.deleted' ? tenantId : userId}`
}

/** Returns how many events of a type were stored. */
export const countEvents = (changes: readonly Change[], type: string) =>
  changes.filter((change) => isEvent(change) && eventIn(change).startsWith(`${type} `)).length

/** Returns the changes that need no `user.updated`, because the last event of the user is one that is still waiting. */
function mergeable(changes: readonly Change[]) {
  const last = new Map<unknown, Change['after']>()
  const delivered = new Set<unknown>()
  return new Set(
    changes.filter((change) => {
      const { table, before, after } = change
      if (table === 'outbox' && !after) delivered.add(before?.id)
      if (isEvent(change)) last.set(after?.user_id, after)
      const event = table === 'user' ? last.get(after?.id) : undefined
      return (event?.payload as Payload | undefined)?.type === 'user.updated' && !delivered.has(event?.id)
    }),
  )
}

/** Returns the users that a change has left without a way in: a password, or mail at a verified address. */
export const auditWaysIn = (changes: readonly Change[]) =>
  changes
    .filter(
      ({ table, after }) => table === 'user' && after && !after.password_hash && !after.email_verified_at,
    )
    .map(({ after }) => `user ${after?.id} has no way in`)

/** Returns the transactions whose events are not exactly those of their changes. */
export function auditTransactions(changes: readonly Change[]) {
  const merged = mergeable(changes)
  const transactions = new Map<string, Change[]>()
  for (const change of changes) {
    const own = transactions.get(change.transaction) ?? []
    own.push(change)
    transactions.set(change.transaction, own)
  }
  return [...transactions.values()].flatMap((own) => {
    const users = own.filter(({ table }) => table === 'user')
    const deleted = new Set(users.flatMap(({ before, after }) => (after ? [] : [before?.id])))
    const expected = own.flatMap((change) => eventsOf(change, deleted))
    const found = own.filter(isEvent).map(eventIn)
    const mayMerge = own.some((change) => merged.has(change))
    const missing = expected.filter(
      (event) => !found.includes(event) && !(mayMerge && event.startsWith('user.updated')),
    )
    // These tables do not show that a refresh token was used again.
    const excess = found.filter((event, index) => {
      const isFirst = found.indexOf(event) === index
      return !(isFirst && (expected.includes(event) || event.startsWith('session.')))
    })
    return [
      ...missing.map((event) => `no event ${event}`),
      ...excess.map((event) => `one event too many: ${event}`),
    ]
  })
}

/**
 * Returns what is wrong with the events that a receiver got: all events of a user's row in the order of its changes,
 * repeated ones left out, and no others; the last of `user.enabled` and `user.disabled` is the user's state.
 */
export function auditDeliveries(changes: readonly Change[], received: readonly Received[]) {
  const errors: string[] = []
  const stored = new Map<string, string>()
  for (const change of changes.filter(isEvent)) stored.set(String(change.after?.id), eventIn(change))
  const arrived = [...new Set(received.map(({ headers }) => headers['webhook-id'] ?? ''))]
  const excess = arrived.filter((id) => !stored.has(id))
  if (excess.length > 0) errors.push(`events that no change has stored: ${excess}`)
  // Changes of other rows of a user can commit in another order than they were recorded.
  const userEvents = (ids: Iterable<string>) => {
    const byUser = new Map<string, string[]>()
    for (const id of ids) {
      const [type = '', userId = ''] = stored.get(id)?.split(' ') ?? []
      if (type.startsWith('user.')) byUser.set(userId, [...(byUser.get(userId) ?? []), type])
    }
    return byUser
  }
  const inOrder = userEvents(arrived)
  for (const [userId, types] of userEvents(stored.keys()))
    if (`${inOrder.get(userId)}` !== `${types}`)
      errors.push(`events of user ${userId}: stored ${types}; received ${inOrder.get(userId)}`)
  return [...errors, ...auditStates(changes, inOrder)]
}

function auditStates(changes: readonly Change[], received: ReadonlyMap<string, string[]>) {
  const last = new Map<unknown, Change>()
  for (const change of changes)
    if (change.table === 'user') last.set((change.after ?? change.before)?.id, change)
  return [...last].flatMap(([id, { after }]) => {
    const types = received.get(String(id)) ?? []
    const lastType = types.findLast((type) => type === 'user.disabled' || type === 'user.enabled')
    const isDisabled = isSet(after?.disabled_at)
    return after && (lastType === 'user.disabled') !== isDisabled
      ? [`user ${id} is ${isDisabled ? 'disabled' : 'enabled'}, but the last event is ${lastType}`]
      : []
  })
}
