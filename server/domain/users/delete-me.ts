import type { DeleteMeBody } from '@usher/contract'
import { deleteUserAndTenants } from '../../store/queries/delete-user.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventMessages } from '../events/events.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { confirmPassword } from './confirm-password.js'

/**
 * Deletes a user, with sessions and memberships and those tenants that have no other user.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`; `token_invalid` also if the tokens are revoked meanwhile
 */
export async function deleteMe(context: AppContext, request: UserRequest<DeleteMeBody>) {
  const { database, user, body, caller } = request
  await confirmPassword(context, request, body.password)
  const messages = eventMessages(database, new Date(context.now()), [
    { type: 'user.deleted', userId: user.id },
  ])
  const tenants = await deleteUserAndTenants(context.store, { ...user, databaseId: database.id }, messages)
  if (!tenants) throw new Problem('token_invalid')
  context.deliver(messages)
  const deleted = { databaseId: database.id, userId: user.id }
  audit(caller.log, 'user.deleted', deleted)
  for (const tenantId of tenants) audit(caller.log, 'tenant.deleted', { ...deleted, tenantId })
}
