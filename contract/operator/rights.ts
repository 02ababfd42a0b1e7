import type { managementContract } from '../management/index.js'
import type { OperatorRole } from './fields.js'

type Contract = typeof managementContract
type OperationOf<Routers> = { [Name in keyof Routers]: keyof Routers[Name] }[keyof Routers]

/** Operations of the management API that need no right. */
type Documents = keyof Contract['service']

/** What an operation of the management API needs from an operator. */
export interface ManagementRight {
  /** The least role in the workspace. Null: only backends use it, with an API key. */
  role: OperatorRole | null
  /** Whether the header `Usher-Confirmation` must prove that the operator is there. */
  confirms?: true
  /** The operation that returns the confirmation, if not `stepUp` does. It is recorded instead of each request. */
  permit?: 'beginImport'
  /** Whether it changes nothing, although it is a POST. It is not recorded. */
  onlyReads?: true
}

/**
 * The rights of operators in the management API. A new operation does not compile until it has one. Hashes and returned codes are
 * for the host only.
 */
export const managementRights = {
  listUsers: { role: 'member' },
  getUser: { role: 'member' },
  addUser: { role: 'admin' },
  changeUser: { role: 'admin' },
  setUserPassword: { role: null },
  removeUser: { role: 'admin', confirms: true },
  listUserSessions: { role: 'member' },
  endUserSessions: { role: 'support' },
  createUserCode: { role: 'support' },
  unlockUser: { role: 'support' },
  importUsers: { role: 'admin', confirms: true, permit: 'beginImport' },
  checkImport: { role: 'admin', onlyReads: true },
  listUserIdentities: { role: 'member' },
  removeUserIdentity: { role: 'admin', confirms: true },
  listUserFactors: { role: 'member' },
  removeUserFactors: { role: 'admin', confirms: true },
  listTenants: { role: 'member' },
  getTenant: { role: 'member' },
  addTenant: { role: 'admin' },
  changeTenant: { role: 'admin' },
  removeTenant: { role: 'admin', confirms: true },
  listMembers: { role: 'member' },
  putMember: { role: 'admin' },
  removeMember: { role: 'admin' },
  listInvitations: { role: 'member' },
  inviteMember: { role: 'admin' },
  revokeInvitation: { role: 'admin' },
  getMailSettings: { role: 'member' },
  changeMailSettings: { role: null },
  listEvents: { role: null },
  listRevocations: { role: null },
} satisfies Record<Exclude<OperationOf<Contract>, Documents>, ManagementRight>
