import type { Member, Tenant } from '@usher/contract'
import type { ListedTenant, ManagedTenant } from '@usher/contract/management'
import type { FoundMember } from '../../store/queries/listed-members.js'
import type { TenantRow } from '../../store/queries/tenants.js'

/** Returns the body of a tenant for one of its members. */
export const tenantBody = ({ id, name, seats, metadata, createdAt }: TenantRow, role: string): Tenant => ({
  id,
  name,
  role,
  seats,
  metadata,
  createdAt: createdAt.toISOString(),
})

/** Returns the body of a tenant in a list for backends. */
export const listedTenant = ({
  id,
  name,
  externalId,
  seats,
  createdAt,
}: Pick<TenantRow, 'id' | 'name' | 'externalId' | 'seats' | 'createdAt'>): ListedTenant => ({
  id,
  name,
  externalId,
  seats,
  createdAt: createdAt.toISOString(),
})

/** Returns the body of a tenant for backends. */
export const managedTenant = (tenant: TenantRow): ManagedTenant => ({
  ...listedTenant(tenant),
  metadata: tenant.metadata,
  privateMetadata: tenant.privateMetadata,
})

/** Returns the body of a member. */
export const memberBody = ({ id, email, preferredName, role, joinedAt }: FoundMember): Member => ({
  id,
  email,
  preferredName,
  role,
  joinedAt: joinedAt.toISOString(),
})
