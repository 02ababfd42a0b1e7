import type { UserLine } from '@usher/contract/management'
import type {
  DeleteWorkspaceBody,
  ExpireCursorsBody,
  ExportUsersQuery,
  ResetOperatorBody,
} from '@usher/contract/operator'
import { findUserId } from '../../store/queries/codes.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { runChange } from '../change.js'
import { createCode } from '../codes/create-code.js'
import type { AppContext } from '../context.js'
import { changeUser } from '../email-change/change-user.js'
import { removeFactors } from '../factors/factors.js'
import * as cursors from '../management/expire-cursors.js'
import * as users from '../management/users/export-users.js'
import * as workspaces from '../management/workspaces.js'
import { Problem } from '../problem.js'
import { codeLink } from './links.js'
import type { OperatorDatabaseRequest, OperatorRequest } from './operator-request.js'
import { requireOperators } from './operators-database.js'

// What only the machine of the server may do.

/** Deletes a workspace that has no databases. */
export async function deleteWorkspace(
  { store }: AppContext,
  { body, caller }: OperatorRequest<DeleteWorkspaceBody>,
) {
  const { id, slug } = await workspaces.deleteWorkspace(store, body.slug)
  audit(caller.log, 'workspace.deleted', { workspaceId: id })
  return { id, slug }
}

/** Returns all users of a database with their password hashes. */
export const exportUsers = async (
  { store, now }: AppContext,
  { database, query }: OperatorDatabaseRequest & { query: ExportUsersQuery },
): Promise<AsyncIterable<UserLine>> =>
  users.exportUsers(store, database.id, { withTotp: query.totpSecrets === 'true', now: new Date(now()) })

/** Expires the cursors of a database, or of all databases. */
export async function expireCursors(
  { store }: AppContext,
  { body, caller }: OperatorRequest<ExpireCursorsBody>,
) {
  const expired = await cursors.expireCursors(store, body.database ?? undefined)
  audit(caller.log, 'events.cursors_expired', expired)
  return expired
}

/** Removes the second factors of an operator, and returns where the operator chooses a password. */
export async function resetOperator(
  context: AppContext,
  { caller, actor, body }: OperatorRequest<ResetOperatorBody>,
) {
  const database = await requireOperators(context)
  const userId = await findUserId(context.store, database.id, requireCanonicalEmail(body.email))
  if (!userId) throw new Problem('user_not_found', { detail: `${body.email} is not an operator.` })
  const secrets = await context.findSecrets(database.id)
  const { code, factors } = await runChange(context, { database, caller, actor }, async (change) => {
    const removed = await removeFactors(change, { userId })
    // So the link sets a password although the operator has no second factor any more.
    const unverified = await changeUser(change, { userId, changes: { isVerified: false } })
    const created = await createCode(change, { userId, purpose: 'password_reset', secrets })
    return {
      result: { code: created.result.code ?? '', factors: removed.result },
      facts: [...removed.facts, ...unverified.facts, ...created.facts],
    }
  })
  return { id: userId, factors, link: codeLink(database, 'reset-password', code) }
}
