import type { User } from '@usher/contract'
import type { UserOfToken } from '../../store/queries/users.js'
import type { AppContext } from '../context.js'
import type { UserRequest } from '../request.js'

/** Returns the user of a token as the store has it now (docs/specification.md, section 4.3). */
export const getMe = async (_context: AppContext, { user }: UserRequest): Promise<User> => userBody(user)

/** Returns the body that operations about the current user share. */
export const userBody = (user: UserOfToken): User => ({
  id: user.id,
  email: user.email,
  preferredName: user.preferredName,
  emailVerified: user.emailVerifiedAt !== null,
  tenants: user.memberships.map(({ id }) => id),
  memberships: user.memberships.map(({ id, name, joinedAt }) => ({
    id,
    name,
    joinedAt: joinedAt.toISOString(),
  })),
  createdAt: user.createdAt.toISOString(),
})
