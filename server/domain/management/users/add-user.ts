import type { DatabasePath } from '@usher/contract'
import type { AddUserBody, IdempotencyHeaders, ManagedUser } from '@usher/contract/management'
import { isForeignKeyViolation } from '../../../store/errors.js'
import { type ApiKey, requireScope } from '../../api-keys/admit-api-key.js'
import type { AppContext } from '../../context.js'
import { databaseDeleted } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { readManagedUsers } from '../../users/read-managed-users.js'
import { type KeepResponse, oncePerKey } from '../once-per-key.js'
import { noteChanges, operationOf } from '../operation.js'
import { createUser } from './create-user.js'
import { managedUser } from './managed-users.js'

/**
 * Adds a user: the user, all tenants and the mail, or nothing.
 *
 * @throws {Problem} `insufficient_scope` if a field needs another scope
 */
export function addUser(
  context: AppContext,
  request: KeyRequest<AddUserBody> & { params: DatabasePath; headers: IdempotencyHeaders },
): Promise<ManagedUser> {
  const { database, apiKey, body } = request
  requireScopes(apiKey, body)
  const { tenants, emailVerified: isVerified, preferredName = null, ...given } = body
  const work = async (keep: KeepResponse<ManagedUser>) => {
    const operation = { ...context, ...operationOf(context, request) }
    const added: ManagedUser[] = []
    const { id: userId } = await createUser(
      {
        ...operation,
        async onCreated(transaction, { databaseId, id }) {
          const [read] = await readManagedUsers({ ...context, store: transaction }, databaseId, [{ id }])
          const user = managedUser(read?.user)
          await keep(transaction, user, id)
          added.push(user)
        },
      },
      database,
      { ...given, isVerified, preferredName, tenants },
    ).catch((error) => {
      throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
    })
    noteChanges(context, request, [
      { event: 'user.created', userId },
      ...(tenants ?? []).map(
        ({ id: tenantId }) => ({ event: 'tenant.user_added', userId, tenantId }) as const,
      ),
    ])
    context.deliver([{ databaseId: database.id, kind: 'mail' }])
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
