import type { DeleteMeBody, User } from '@usher/contract'
import { profileOf } from '../../store/queries/user-fields.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { confirmUser } from '../factors/confirm.js'
import type { UserRequest } from '../request.js'
import { deleteUser } from './user-changes.js'

/**
 * Returns the user of a token as the store has it now (docs/specification.md, section 4.3). To a session of a tenant, it is the person
 * whom the provider of the tenant knows.
 */
export const getMe = async (_context: AppContext, { user, claims }: UserRequest): Promise<User> =>
  claims.isTenantOnly ? personOfTenant(user) : userBody(user)

/** Returns a user without what the account has outside its tenants. */
function personOfTenant(user: UserOfToken): User {
  const { email, name } = user.memberships[0]?.sso ?? {}
  const shown = { email: email ?? user.email, preferredName: name ?? user.preferredName }
  return userBody({ ...user, ...shown, locale: null, metadata: null })
}

/** Returns the body that operations about the current user share. */
export const userBody = (user: UserOfToken): User => ({
  id: user.id,
  email: user.email,
  ...profileOf(user),
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

/** Deletes the user of a token: see {@link deleteUser}. @throws {Problem} those of {@link confirmUser} */
export async function deleteMe(context: AppContext, request: UserRequest<DeleteMeBody>) {
  const deletion = { userId: request.user.id, throttle: context.throttle }
  await confirmUser(context, request, request.body)
  await runChange(context, request, (change) => deleteUser(change, deletion))
}
