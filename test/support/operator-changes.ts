import type { DatabasePath } from '@usher/contract'
import { type ChangeRequest, type Rule, runChange } from '../../server/domain/change.js'
import { createCode } from '../../server/domain/codes/create-code.js'
import type { AppContext } from '../../server/domain/context.js'
import { changeUser, type FieldChanges } from '../../server/domain/email-change/change-user.js'
import * as factors from '../../server/domain/factors/factors.js'
import * as apiKeys from '../../server/domain/management/api-keys.js'
import * as databases from '../../server/domain/management/databases.js'
import { findDatabase } from '../../server/domain/management/databases.js'
import * as deliveries from '../../server/domain/management/deliveries.js'
import * as keys from '../../server/domain/management/keys/key-rotation.js'
import { findAccount } from '../../server/domain/management/users/find-account.js'
import { transferSsoDomain } from '../../server/domain/sso/domains.js'
import * as members from '../../server/domain/tenants/members.js'
import * as tenants from '../../server/domain/tenants/tenants.js'
import { Throttle } from '../../server/domain/throttle/login-throttle.js'
import * as users from '../../server/domain/users/user-changes.js'
import type { Store } from '../../server/store/store.js'

// What the commands do, without a command line.

interface Operation {
  store: Store
  now?: Date
}

const contextOf = ({ store, now }: Operation) => ({
  store,
  now: () => now?.getTime() ?? Date.now(),
  deliver: () => undefined,
})

async function requestOf({ store }: Operation, path: DatabasePath): Promise<ChangeRequest> {
  const log = { level: 'silent', child: () => ({ info: () => undefined }) }
  return { database: await findDatabase(store, path), caller: { log }, actor: { kind: 'operator' } }
}

/** Runs a rule by an operator. */
export const runAsOperator = async <Result>(operation: Operation, path: DatabasePath, rule: Rule<Result>) =>
  runChange(contextOf(operation), await requestOf(operation, path), rule)

export const createTenant = (operation: Operation, path: DatabasePath, fields: { name: string }) =>
  runAsOperator(operation, path, (change) => tenants.createTenant(change, fields))

export const deleteTenant = async (operation: Operation, path: DatabasePath, tenantId: string) =>
  tenants.deleteTenant(contextOf(operation), await requestOf(operation, path), tenantId)

/** A user of a tenant. `userRef` is an id or an email address. */
interface MemberRef {
  tenantId: string
  userRef: string
  role?: string | undefined
}

const memberOf = async ({ store }: Operation, path: DatabasePath, { userRef, ...member }: MemberRef) => ({
  ...member,
  userId: (await findAccount(store, await findDatabase(store, path), userRef)).id,
})

export async function putMember(operation: Operation, path: DatabasePath, ref: MemberRef) {
  const member = await memberOf(operation, path, ref)
  return runAsOperator(operation, path, (change) => members.putMember(change, member))
}

export async function removeFromTenant(operation: Operation, path: DatabasePath, ref: MemberRef) {
  const member = await memberOf(operation, path, ref)
  return runAsOperator(operation, path, (change) => members.removeMember(change, member))
}

export const createApiKey = async (
  operation: Operation,
  path: DatabasePath,
  body: Parameters<typeof apiKeys.createApiKey>[1]['body'],
) => apiKeys.createApiKey(contextOf(operation), { ...(await requestOf(operation, path)), body })

export const rotateApiKey = async (
  operation: Operation,
  path: DatabasePath,
  { id: apiKeyId, overlapSeconds }: { id: string; overlapSeconds: number },
) =>
  apiKeys.rotateApiKey(contextOf(operation), {
    ...(await requestOf(operation, path)),
    params: { apiKeyId },
    body: { overlapSeconds },
  })

export const revokeApiKey = async (store: Store, path: DatabasePath, apiKeyId: string) =>
  apiKeys.revokeApiKey(contextOf({ store }), { ...(await requestOf({ store }, path)), params: { apiKeyId } })

export const rotateKeys = async (operation: Operation, path: DatabasePath, activateInSeconds: number) =>
  keys.rotateKeys(contextOf(operation), {
    ...(await requestOf(operation, path)),
    body: { activateInSeconds },
  })

export const retireKey = async (operation: Operation, path: DatabasePath, kid: string) =>
  keys.retireKey(contextOf(operation), { ...(await requestOf(operation, path)), params: { kid } })

/** Returns the signing keys of a database, the newest first. */
export const signingKeysOf = async (store: Store, path: DatabasePath) =>
  (await keys.listKeys(contextOf({ store }), await requestOf({ store }, path))).keys

/** Delivers messages now, or deletes them. */
export const changeMessages = async (
  operation: Operation,
  path: DatabasePath,
  { type, id = null }: { type: 'outbox.retried' | 'outbox.dropped'; id: string | null | undefined },
) => {
  const change = type === 'outbox.retried' ? deliveries.retryDeliveries : deliveries.dropDeliveries
  const { messages } = await change(contextOf(operation), {
    ...(await requestOf(operation, path)),
    body: { id },
  })
  return messages
}

export const setDatabase = async (
  store: Store,
  path: DatabasePath,
  changes: Parameters<typeof databases.setDatabase>[2],
) => databases.setDatabase({ ...contextOf({ store }), store }, await requestOf({ store }, path), changes)

/** Runs a rule on a user, and returns the types of its facts. `userRef` is an id or an email address. */
const onUser =
  <Input extends unknown[]>(rule: (userId: string, throttle: Throttle, ...input: Input) => Rule<unknown>) =>
  async (operation: Operation, path: DatabasePath, userRef: string, ...input: Input) => {
    const { store } = operation
    const { id } = await findAccount(store, await findDatabase(store, path), userRef)
    const throttle = new Throttle(store, contextOf(operation))
    const work = rule(id, throttle, ...input)
    return runAsOperator(operation, path, async (change) => {
      const outcome = await work(change)
      return { ...outcome, result: outcome.facts.map(({ type }) => type) }
    })
  }

export const changeFields = onUser(
  (userId, _, changes: FieldChanges) => (change) => changeUser(change, { userId, changes }),
)

export const disableUser = (operation: Operation, path: DatabasePath, userRef: string) =>
  changeFields(operation, path, userRef, { isDisabled: true })

export const enableUser = (operation: Operation, path: DatabasePath, userRef: string) =>
  changeFields(operation, path, userRef, { isDisabled: false })

export const revokeTokens = onUser((userId) => (change) => users.revokeTokens(change, { userId }))

export const removeFactors = onUser((userId) => (change) => factors.removeFactors(change, { userId }))

export const sendReset = onUser(
  (userId) => (change) => createCode(change, { userId, purpose: 'password_reset' }),
)

export const deleteUser = onUser(
  (userId, throttle) => (change) => users.deleteUser(change, { userId, throttle }),
)

export async function setPassword(
  operation: Operation & Pick<AppContext, 'hashing' | 'blocklist'>,
  path: DatabasePath,
  { userRef, password }: { userRef: string; password: string },
) {
  const request = await requestOf(operation, path)
  const user = await findAccount(operation.store, request.database, userRef)
  await users.setPassword({ ...operation, ...contextOf(operation) }, request, { user, password })
}

/** Moves a mail domain to a tenant. */
export const moveDomain = async (
  context: AppContext,
  operation: Operation,
  path: DatabasePath,
  params: { tenantId: string; domain: string },
) => transferSsoDomain(context, { ...(await requestOf(operation, path)), params } as never)
