import { canonicalEmail, type DatabasePath } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import type { User } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import { requireDatabase } from '../databases/find-database.js'
import { OperatorError, UsageError } from './operator-error.js'

/** The columns that an operator sees of a user. */
export const shown = {
  databaseId: true,
  id: true,
  email: true,
  preferredName: true,
  disabledAt: true,
  tokensValidAfter: true,
  createdAt: true,
} as const satisfies Partial<Record<keyof User, true>>

/** A user as an operator sees one. */
export type Account = Pick<User, keyof typeof shown>

/**
 * The user whom an operator names by id or email address, and the user's database.
 *
 * @throws {OperatorError} where there is no such user or database
 */
export async function findAccount(store: Store, path: DatabasePath, who: string) {
  const key = canonicalEmail(who.trim())
  if (!key && !isUuid(who)) throw new UsageError(`${who} is neither a user's id nor an email address`)
  const database = await requireDatabase(store, path)
  const account = await store.prisma.user.findFirst({
    where: { databaseId: database.id, ...(key ? { canonicalEmail: key } : { id: who }) },
    select: { ...shown, canonicalEmail: true },
  })
  if (!account) throw userNotFound(path, who)
  return { database, account }
}

export const userNotFound = ({ workspaceSlug, databaseName }: DatabasePath, who: string) =>
  new OperatorError(`no user ${who} in ${workspaceSlug}/${databaseName}`)
