import type { DatabasePath } from '@usher/contract'
import type { AddUserBody, IdempotencyHeaders, ManagedUser } from '@usher/contract/management'
import { isForeignKeyViolation } from '../../../store/errors.js'
import { audit } from '../../../telemetry/audit.js'
import { type ApiKey, requireScope } from '../../api-keys/admit-api-key.js'
import type { AppContext } from '../../context.js'
import { eventChannels } from '../../events/events.js'
import { databaseDeleted } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { type KeepResponse, oncePerKey } from '../once-per-key.js'
import { operationOf } from '../operation.js'
import { createUser } from './create-user.js'
import { readManagedUser } from './managed-users.js'

/**
 * Adds a user: the user, all tenants and the mail, or nothing.
 *
 * @throws {Problem} `insufficient_scope` if a field needs another scope
 */
export function addUser(
  context: AppContext,
  request: KeyRequest<AddUserBody> & { params: DatabasePath; headers: IdempotencyHeaders },
): Promise<ManagedUser> {
  const { database, apiKey, caller, params, body } = request
  requireScopes(apiKey, body)
  const { tenants, emailVerified: isVerified, preferredName = null, ...given } = body
  const tenantIds = tenants?.map(({ id }) => id)
  const work = async (keep: KeepResponse<ManagedUser>) => {
    const operation = { ...context, ...operationOf(context, request) }
    const added: ManagedUser[] = []
    const { id: userId } = await createUser(
      {
        ...operation,
        async onCreated(transaction, { databaseId, id }) {
          const user = await readManagedUser({ ...context, store: transaction }, { databaseId, id })
          await keep(transaction, user, id)
          added.push(user)
        },
      },
      params,
      { ...given, isVerified, preferredName, tenantIds },
    ).catch((error) => {
      throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
    })
    const ids = { databaseId: database.id, userId, apiKey: apiKey.id }
    audit(caller.log, 'user.created', ids)
    for (const tenantId of tenantIds ?? []) audit(caller.log, 'tenant.user_added', { ...ids, tenantId })
    context.deliver([...eventChannels(database), { databaseId: database.id, kind: 'mail' }])
    return added[0] as ManagedUser
  }
  return oncePerKey(context, request, { operation: 'addUser', work })
}

/** @throws {Problem} `insufficient_scope` */
function requireScopes(apiKey: ApiKey, { password, passwordHash, emailVerified, tenants }: AddUserBody) {
  if ([password, passwordHash, emailVerified].some((each) => each !== undefined))
    requireScope(apiKey, 'credentials:write')
  if (tenants) requireScope(apiKey, 'tenants:write')
}
