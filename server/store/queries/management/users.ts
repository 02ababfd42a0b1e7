import { NIL } from 'uuid'
import type { User } from '../../generated/client.js'
import { usersOfTenant } from '../listed-members.js'
import type { Page } from '../page.js'
import { type Profile, profileFields, selected } from '../user-fields.js'
import type { TypedQueries } from './typed-queries.js'

const accountColumns = {
  databaseId: true,
  id: true,
  email: true,
  ...(Object.fromEntries(profileFields.map((name) => [name, true])) as Record<keyof Profile, true>),
  externalId: true,
  emailVerifiedAt: true,
  disabledAt: true,
  createdAt: true,
} as const satisfies Partial<Record<keyof User, true>>

/** The fields of a user that operators see. */
export type Account = Pick<User, keyof typeof accountColumns>

type UserKey = Pick<User, 'databaseId'> & (Pick<User, 'id'> | Pick<User, 'canonicalEmail'>)

export async function findAccountRow(store: TypedQueries, where: UserKey): Promise<Account | null> {
  const { user } = await store.loadPrisma()
  return user.findFirst({
    where: { ...where, reservedFor: null },
    select: accountColumns,
  })
}

/** Which users of a database to list. */
export interface AccountFilter {
  databaseId: string
  /** Only the users of a tenant, without another filter. */
  tenantId?: string | undefined
  canonicalEmail?: string | undefined
  ids?: string[] | undefined
  isDisabled?: boolean | undefined
  hasSecondFactor?: boolean | undefined
  externalId?: string | undefined
}

/** Returns users ordered by id. */
export async function listAccountRows(
  store: TypedQueries,
  { databaseId, tenantId, canonicalEmail, externalId, ids, isDisabled, hasSecondFactor }: AccountFilter,
  { limit, after }: Page<string>,
): Promise<Account[]> {
  // Prisma would read every member of the tenant for each page.
  if (tenantId !== undefined)
    return store.query<Account>(ofTenantStatement, [databaseId, tenantId, after ?? NIL, limit])
  const { user } = await store.loadPrisma()
  return user.findMany({
    where: {
      databaseId,
      reservedFor: null,
      id: { ...(after !== undefined && { gt: after }), ...(ids && { in: ids }) },
      ...(isDisabled !== undefined && { disabledAt: isDisabled ? { not: null } : null }),
      ...(hasSecondFactor !== undefined && { needsSecondStep: hasSecondFactor ? { not: null } : null }),
      ...(canonicalEmail !== undefined && { canonicalEmail }),
      ...(externalId !== undefined && { externalId }),
    },
    select: accountColumns,
    orderBy: { id: 'asc' },
    take: limit,
  })
}

const ofTenantStatement = usersOfTenant(
  `u.database_id AS "databaseId", u.id, u.email, ${selected(profileFields)}, u.external_id AS "externalId",
    u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt",
    u.created_at AS "createdAt"`,
)
