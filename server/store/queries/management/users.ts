import type { Prisma, User } from '../../generated/client.js'
import type { Page, TypedQueries } from './typed-queries.js'

const accountColumns = {
  databaseId: true,
  id: true,
  email: true,
  preferredName: true,
  externalId: true,
  emailVerifiedAt: true,
  disabledAt: true,
  tokensValidAfter: true,
  createdAt: true,
} as const satisfies Partial<Record<keyof User, true>>

/** The fields of a user that operators see. */
export type Account = Pick<User, keyof typeof accountColumns>

export type FoundAccount = Account & Pick<User, 'canonicalEmail'>

type UserKey = Pick<User, 'databaseId'> & (Pick<User, 'id'> | Pick<User, 'canonicalEmail'>)

export async function findAccountRow(store: TypedQueries, where: UserKey): Promise<FoundAccount | null> {
  const { user } = await store.loadPrisma()
  return user.findFirst({ where, select: { ...accountColumns, canonicalEmail: true } })
}

/** Which users of a database to list. */
export interface AccountFilter {
  databaseId: string
  tenantId?: string | undefined
  canonicalEmail?: string | undefined
  ids?: string[] | undefined
  isDisabled?: boolean | undefined
  externalId?: string | undefined
}

/** Returns users ordered by id, which is the order of sign-up. */
export async function listAccountRows(
  store: TypedQueries,
  { databaseId, tenantId, canonicalEmail, externalId, ids, isDisabled }: AccountFilter,
  { limit, after }: Page<string>,
): Promise<Account[]> {
  const { user } = await store.loadPrisma()
  return user.findMany({
    where: {
      databaseId,
      id: { ...(after !== undefined && { gt: after }), ...(ids && { in: ids }) },
      ...(isDisabled !== undefined && { disabledAt: isDisabled ? { not: null } : null }),
      ...(canonicalEmail !== undefined && { canonicalEmail }),
      ...(externalId !== undefined && { externalId }),
      ...(tenantId !== undefined && { memberships: { some: { databaseId, tenantId } } }),
    },
    select: accountColumns,
    orderBy: { id: 'asc' },
    take: limit,
  })
}

/** Inserts a user. Returns the user, or undefined if the email or the external id is taken. */
export async function insertUser(
  store: TypedQueries,
  data: Prisma.UserCreateManyInput,
): Promise<Account | undefined> {
  const { user } = await store.loadPrisma()
  const [created] = await user.createManyAndReturn({ data, skipDuplicates: true, select: accountColumns })
  return created
}

/** Deletes a user and, by ON DELETE CASCADE, all rows that refer to the user. Returns whether there was such a user. */
export async function deleteUserRow(
  store: TypedQueries,
  { databaseId, id }: Pick<User, 'databaseId' | 'id'>,
) {
  const { user } = await store.loadPrisma()
  const { count } = await user.deleteMany({ where: { databaseId, id } })
  return count > 0
}
