import type { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import { id } from './fields.js'

/** Path of a tenant. */
export const tenantPath = `${databasePath}/tenants/:tenantId` as const
/** Path of a member of a tenant. */
export const memberPath = `${tenantPath}/members/:userId` as const

/** Path parameters that identify a tenant. */
export const TenantPath = DatabasePath.extend({ tenantId: id('ID of the tenant.') })

/** Path parameters that identify a member of a tenant. */
export const MemberPath = TenantPath.extend({ userId: id('ID of the user.') })
export type MemberPath = z.infer<typeof MemberPath>
