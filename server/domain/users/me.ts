import type { DeleteMeBody, UpdateMeBody, User } from '@usher/contract'
import { deleteUserAndTenants } from '../../store/queries/delete-user.js'
import { type ChangedFields, updateOwnFields } from '../../store/queries/users.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessages, eventMessagesOf } from '../events/events.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { lastOwner } from '../tenants/roles.js'
import { confirmUser } from './authenticate.js'

/** Returns the user of a token as the store has it now (docs/specification.md, section 4.3). */
export const getMe = async (_context: AppContext, { user }: UserRequest): Promise<User> => userBody(user)

/** Returns the body that operations about the current user share. */
const userBody = (user: UserOfToken): User => ({
  id: user.id,
  email: user.email,
  preferredName: user.preferredName,
  locale: user.locale,
  emailVerified: user.emailVerifiedAt !== null,
  tenants: user.memberships.map(({ id }) => id),
  memberships: user.memberships.map(({ id, name, role, joinedAt, metadata }) => ({
    id,
    name,
    role,
    joinedAt: joinedAt.toISOString(),
    metadata,
  })),
  metadata: user.metadata,
  createdAt: user.createdAt.toISOString(),
})

/** Changes the fields of a user that are in the body. */
export async function updateMe(
  context: AppContext,
  { database, user, body: { preferredName, locale }, caller }: UserRequest<UpdateMeBody>,
): Promise<User> {
  if (preferredName === undefined && locale === undefined) return userBody(user)
  const messages = eventMessagesOf<ChangedFields>(database, new Date(context.now()), ({ isChanged }) =>
    isChanged ? [{ type: 'user.updated', userId: user.id }] : [],
  )
  const read = { ...user, databaseId: database.id }
  const changed = await updateOwnFields(context.store, read, { preferredName, locale, messages })
  if (!changed) throw new Problem('token_invalid')
  if (changed.isChanged) {
    context.deliver(eventChannels(database))
    audit(caller.log, 'user.updated', { databaseId: database.id, userId: user.id })
  }
  return userBody({ ...user, ...changed })
}

/**
 * Deletes a user with sessions and memberships, and the user's tenants that have no other user.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`; `email_recently_changed` while a change of the address can be
 * undone; `last_owner` if a tenant with other users would have no owner; `token_invalid` also if the tokens are revoked meanwhile
 */
export async function deleteMe(context: AppContext, request: UserRequest<DeleteMeBody>) {
  const { database, user, body, caller } = request
  await confirmUser(context, request, body.password)
  const now = new Date(context.now())
  const notices = noticeMessages(database, 'account_deleted', {
    userId: user.id,
    recipient: user.email,
    isVerified: user.emailVerifiedAt !== null,
    now,
  })
  const deletion = await deleteUserAndTenants(
    context.store,
    { ...user, databaseId: database.id },
    {
      now,
      // Otherwise users could not make another member owner.
      mayLeaveOwnerless: !database.tenantOperations,
      messagesOf: (tenants) => [
        ...eventMessages(database, now, [
          { type: 'user.deleted', userId: user.id },
          ...tenants.map((tenantId) => ({ type: 'tenant.deleted', tenantId }) as const),
        ]),
        ...notices,
      ],
    },
  )
  if (!deletion) throw new Problem('token_invalid')
  if ('undoableUntil' in deletion)
    throw new Problem('email_recently_changed', {
      detail: `The change of the address can be undone until ${deletion.undoableUntil.toISOString()}. The account can be deleted after that.`,
    })
  if ('ownerless' in deletion) throw lastOwner(deletion.ownerless)
  context.deliver([...eventChannels(database), ...notices])
  const deleted = { databaseId: database.id, userId: user.id }
  audit(caller.log, 'user.deleted', deleted)
  for (const tenantId of deletion.deleted) audit(caller.log, 'tenant.deleted', { ...deleted, tenantId })
}
