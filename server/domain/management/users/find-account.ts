import { canonicalEmail, type DatabasePath } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import type { User } from '../../../store/generated/client.js'
import type { Store } from '../../../store/store.js'
import { requireDatabase } from '../databases/databases.js'
import { OperatorError, UsageError } from '../operator-error.js'

export const accountColumns = {
  databaseId: true,
  id: true,
  email: true,
  preferredName: true,
  disabledAt: true,
  tokensValidAfter: true,
  createdAt: true,
} as const satisfies Partial<Record<keyof User, true>>

export type Account = Pick<User, keyof typeof accountColumns>

export type FoundAccount = Account & Pick<User, 'canonicalEmail'>

/** @param userRef id or email address of the user. @throws {OperatorError} if there is no such user or database */
export async function findAccount(store: Store, path: DatabasePath, userRef: string) {
  const email = canonicalEmail(userRef.trim())
  if (!email && !isUuid(userRef)) throw new UsageError(`${userRef} is neither a user id nor an email address`)
  const database = await requireDatabase(store, path)
  const account = await store.prisma.user.findFirst({
    where: { databaseId: database.id, ...(email ? { canonicalEmail: email } : { id: userRef }) },
    select: { ...accountColumns, canonicalEmail: true },
  })
  if (!account) throw userNotFound(path, userRef)
  return { database, account }
}

export const userNotFound = ({ workspaceSlug, databaseName }: DatabasePath, userRef: string) =>
  new OperatorError(`user ${userRef} does not exist in ${workspaceSlug}/${databaseName}`)
