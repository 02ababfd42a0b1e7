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
import { type AuditEvent, audit } from '../../../telemetry/audit.js'
import { requireScope } from '../../api-keys/admit-api-key.js'
import type { AppContext } from '../../context.js'
import { eventChannels } from '../../events/events.js'
import { Problem } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { etagOf, requireMatch } from '../etag.js'
import { operationOf } from '../operation.js'
import { OperatorError } from '../operator-error.js'
import { nextOf } from '../page.js'
import { changeFields } from './change-fields.js'
import { deleteUser, revokeTokens, setPassword, unlockUser } from './change-user.js'
import { readManagedUser } from './managed-users.js'

/** A request that concerns a user. */
export type OnUser<Body = unknown> = KeyRequest<Body> & { params: DatabasePath & { userId: string } }

/** Audits what a request has changed, and starts the delivery of its events. */
export function noteChanges(
  { deliver }: Pick<AppContext, 'deliver'>,
  { database, apiKey, caller, params }: OnUser,
  events: readonly AuditEvent[],
) {
  for (const event of events)
    audit(caller.log, event, { databaseId: database.id, userId: params.userId, apiKey: apiKey.id })
  deliver(eventChannels(database))
}

/** Changes fields of a user. @throws {Problem} `precondition_failed` if the user has another ETag than `If-Match` */
export async function changeManagedUser(
  context: AppContext,
  request: OnUser<ChangeUserBody> & { headers: IfMatchHeaders },
): Promise<ManagedUser> {
  const { database, apiKey, params, body, headers } = request
  const { email, preferredName, emailVerified: isVerified, disabled: isDisabled } = body
  if (email !== undefined || isVerified !== undefined) requireScope(apiKey, 'credentials:write')
  const { id, events } = await changeFields(operationOf(context, request), params, {
    userRef: params.userId,
    changes: { email, preferredName, isVerified, isDisabled },
    require: ({ emailVerifiedAt, disabledAt, ...user }) => {
      const shown = { ...user, emailVerified: emailVerifiedAt !== null, disabled: disabledAt !== null }
      requireMatch(headers['if-match'], etagOf(shown, changeableFields))
    },
  })
  noteChanges(context, request, events)
  return readManagedUser(context, { databaseId: database.id, id })
}

/** Sets the password of a user, and revokes tokens, sessions and codes. */
export async function setManagedPassword(context: AppContext, request: OnUser<SetPasswordBody>) {
  const { apiKey, params, body } = request
  requireScope(apiKey, 'credentials:write')
  const operation = { ...context, ...operationOf(context, request) }
  await setPassword(operation, params, { userRef: params.userId, password: body.password })
  noteChanges(context, request, ['user.password_set'])
}

/** Deletes a user. Does nothing if there is no such user. */
export async function removeManagedUser(context: AppContext, request: OnUser) {
  const { params } = request
  const operation = { ...operationOf(context, request), throttle: context.throttle }
  try {
    await deleteUser(operation, params, params.userId)
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'user_not_found') return
    throw error
  }
  noteChanges(context, request, ['user.deleted'])
}

/** Returns a page of the sessions of a user that have not ended. */
export async function listManagedSessions(
  { store, now }: AppContext,
  { database, params, query }: OnUser & { query: ListSessionsQuery },
): Promise<UserSessionList> {
  const { limit = 50, after } = query
  const key = { databaseId: database.id, id: params.userId }
  const found = await findSessionsOfUser(store, key, { now: new Date(now()), after, limit: limit + 1 })
  if (!found) throw new Problem('user_not_found')
  const sessions = found.slice(0, limit).map(({ id, label, createdAt, refreshedAt, expiresAt }) => ({
    id,
    label,
    createdAt: createdAt.toISOString(),
    refreshedAt: refreshedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
  return { sessions, next: nextOf(found, limit) }
}

/** Ends the sessions of a user, and revokes the tokens. */
export async function endManagedSessions(context: AppContext, request: OnUser) {
  await revokeTokens(operationOf(context, request), request.params, request.params.userId)
  noteChanges(context, request, ['user.tokens_revoked'])
}

/** Clears the failed logins of a user. */
export async function unlockManagedUser(context: AppContext, request: OnUser) {
  await unlockUser(context, request.params, request.params.userId)
  noteChanges(context, request, ['user.unlocked'])
}
