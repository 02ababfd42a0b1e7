import type { DatabasePath } from '@usher/contract'
import {
  type ChangeUserBody,
  changeableFields,
  type IfMatchHeaders,
  type ListSessionsQuery,
  type ManagedUser,
  type SetPasswordBody,
  type UserSessionList,
} from '@usher/contract/management'
import { findSessionsOfUser } from '../../../store/queries/managed-user.js'
import type { AuditEvent } from '../../../telemetry/audit.js'
import { requireScope } from '../../api-keys/admit-api-key.js'
import type { AppContext } from '../../context.js'
import { readPage } from '../../page.js'
import { Problem, unless } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { etagOf, requireMatch } from '../etag.js'
import { noteChanges, operationOf } from '../operation.js'
import { changeFields } from './change-fields.js'
import { deleteUser, revokeTokens, setPassword, unlockUser } from './change-user.js'
import { managedUser } from './managed-users.js'

/** A request that concerns a user. */
export type OnUser<Body = unknown> = KeyRequest<Body> & { params: DatabasePath & { userId: string } }

/** Audits what a request has changed of a user, and starts the delivery of its events. */
export const noteUserChanges = (
  context: Pick<AppContext, 'deliver'>,
  request: OnUser,
  events: readonly AuditEvent[],
) => {
  const { userId } = request.params
  noteChanges(
    context,
    request,
    events.map((event) => ({ event, userId })),
  )
}

/** Changes fields of a user. @throws {Problem} `precondition_failed` if the user has another ETag than `If-Match` */
export async function changeManagedUser(
  context: AppContext,
  request: OnUser<ChangeUserBody> & { headers: IfMatchHeaders },
): Promise<ManagedUser> {
  const { database, apiKey, params, body, headers } = request
  const { emailVerified: isVerified, disabled: isDisabled, ...changes } = body
  const { email, emailUndo } = changes
  if ([email, isVerified, emailUndo].some((each) => each !== undefined))
    requireScope(apiKey, 'credentials:write')
  const { id, events, hasMails } = await changeFields(operationOf(context, request), database, {
    userRef: params.userId,
    changes: { ...changes, isVerified, isDisabled },
    require: ({ emailVerifiedAt, disabledAt, ...user }) => {
      const shown = { ...user, emailVerified: emailVerifiedAt !== null, disabled: disabledAt !== null }
      requireMatch(headers['if-match'], etagOf(shown, changeableFields))
    },
  })
  noteUserChanges(context, request, events)
  if (hasMails) context.deliver([{ databaseId: database.id, kind: 'mail' }])
  const read = await context.findManagedUser(database.id, { id })
  return managedUser(read?.user)
}

/** Sets the password of a user, and revokes tokens, sessions and codes. */
export async function setManagedPassword(context: AppContext, request: OnUser<SetPasswordBody>) {
  const { apiKey, database, params, body } = request
  requireScope(apiKey, 'credentials:write')
  const operation = { ...context, ...operationOf(context, request) }
  await setPassword(operation, database, { userRef: params.userId, password: body.password })
  noteUserChanges(context, request, ['user.password_set'])
  context.deliver([{ databaseId: database.id, kind: 'mail' }])
}

/** Deletes a user. Does nothing if there is no such user. */
export async function removeManagedUser(context: AppContext, request: OnUser) {
  const { database, params } = request
  const operation = { ...operationOf(context, request), throttle: context.throttle }
  const deletion = deleteUser(operation, database, params.userId)
  const deleted = await deletion.catch(unless('user_not_found'))
  if (!deleted) return
  noteUserChanges(context, request, ['user.deleted'])
  context.deliver([{ databaseId: database.id, kind: 'mail' }])
}

/** Returns a page of the sessions of a user that have not ended. */
export async function listManagedSessions(
  { store, now }: AppContext,
  { database, params, query }: OnUser & { query: ListSessionsQuery },
): Promise<UserSessionList> {
  const key = { databaseId: database.id, id: params.userId }
  const { rows, next } = await readPage(query, async (page) => {
    const found = await findSessionsOfUser(store, key, { now: new Date(now()), ...page })
    if (!found) throw new Problem('user_not_found')
    return found
  })
  const sessions = rows.map(({ id, label, createdAt, refreshedAt, expiresAt }) => ({
    id,
    label,
    createdAt: createdAt.toISOString(),
    refreshedAt: refreshedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
  return { sessions, next }
}

/** Ends the sessions of a user, and revokes the tokens. */
export async function endManagedSessions(context: AppContext, request: OnUser) {
  await revokeTokens(operationOf(context, request), request.database, request.params.userId)
  noteUserChanges(context, request, ['user.tokens_revoked'])
}

/** Clears the failed logins of a user. */
export async function unlockManagedUser(context: AppContext, request: OnUser) {
  await unlockUser(context, request.database, request.params.userId)
  noteUserChanges(context, request, ['user.unlocked'])
}
