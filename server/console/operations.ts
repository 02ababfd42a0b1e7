import type { managementContract } from '@usher/contract/management'
import type { OperatorRole, operatorContract } from '@usher/contract/operator'

type Management = typeof managementContract
type Operator = typeof operatorContract

/** The operations of the console, by name. */
export type Routes = Management['users'] &
  Management['tenants'] &
  Management['invitations'] &
  Operator['console'] &
  Operator['operators'] &
  Operator['commandLine'] &
  Operator['databases'] &
  Operator['connections'] &
  Operator['keys'] &
  Operator['operations'] &
  Operator['actions'] &
  Operator['servers']

/** The role that the contract demands for an operation, or null for an operation without a token. */
type RoleOf<Name extends keyof Routes> = Routes[Name] extends { metadata: { who: { operator: infer Role } } }
  ? Role
  : null

type Table = {
  [Name in keyof Routes]?: readonly [
    request: `${Routes[Name]['method']} ${Routes[Name]['path']}`,
    RoleOf<Name>,
  ]
}

const workspaces = '/operator/workspaces'
const workspace = `${workspaces}/:workspaceSlug` as const
const database = '/workspaces/:workspaceSlug/databases/:databaseName' as const
const operated = `/operator${database}` as const
const users = `${database}/management/users` as const
const user = `${users}/:userId` as const
const tenants = `${database}/management/tenants` as const
const tenant = `${tenants}/:tenantId` as const
const member = `${tenant}/members/:userId` as const
const invitations = `${tenant}/invitations` as const
const connections = `${operated}/connections` as const
const connection = `${connections}/:connection` as const
const operators = '/operator/operators' as const

/** Method, path and least role of each operation. Does not compile if it differs from the contract. */
export const operations = {
  getConsole: ['GET /operator/console', null],
  createFirstOperator: ['POST /operator/first-operator', null],
  getOperator: ['GET /operator/me', 'member'],
  listOperators: [`GET ${operators}`, 'owner'],
  addOperator: [`POST ${operators}`, 'owner'],
  changeOperator: [`PATCH ${operators}/:operatorId`, 'owner'],
  removeOperator: [`DELETE ${operators}/:operatorId`, 'owner'],
  listActions: ['GET /operator/actions', 'owner'],
  listServers: ['GET /operator/servers', 'member'],
  createCommandLineCode: ['POST /operator/command-line/codes', 'member'],

  listWorkspaces: [`GET ${workspaces}`, 'member'],
  createWorkspace: [`POST ${workspaces}`, 'owner'],
  listDatabases: [`GET ${workspace}/databases`, 'member'],
  createDatabase: [`POST ${workspace}/databases`, 'owner'],
  deleteDatabase: [`DELETE ${operated}`, 'owner'],
  getStatistics: [`GET ${operated}/statistics`, 'member'],
  getSettings: [`GET ${operated}/settings`, 'member'],
  changeSettings: [`PATCH ${operated}/settings`, 'admin'],
  listDatabaseActions: [`GET ${operated}/actions`, 'member'],

  listKeys: [`GET ${operated}/keys`, 'member'],
  rotateKeys: [`POST ${operated}/keys/rotate`, 'admin'],
  retireKey: [`DELETE ${operated}/keys/:kid`, 'owner'],
  listApiKeys: [`GET ${operated}/api-keys`, 'member'],
  createApiKey: [`POST ${operated}/api-keys`, 'admin'],
  rotateApiKey: [`POST ${operated}/api-keys/:apiKeyId/rotate`, 'admin'],
  revokeApiKey: [`DELETE ${operated}/api-keys/:apiKeyId`, 'admin'],

  listConnectionDetails: [`GET ${connections}`, 'member'],
  addConnection: [`POST ${connections}`, 'admin'],
  getConnection: [`GET ${connection}`, 'member'],
  changeConnection: [`PATCH ${connection}`, 'admin'],
  removeConnection: [`DELETE ${connection}`, 'admin'],
  checkConnection: [`POST ${connection}/check`, 'support'],
  beginImport: [`POST ${operated}/imports`, 'admin'],
  listDeliveries: [`GET ${operated}/deliveries`, 'member'],
  retryDeliveries: [`POST ${operated}/deliveries/retry`, 'support'],
  dropDeliveries: [`POST ${operated}/deliveries/drop`, 'admin'],

  listUsers: [`GET ${users}`, 'member'],
  addUser: [`POST ${users}`, 'admin'],
  importUsers: [`POST ${users}/import`, 'admin'],
  checkImport: [`POST ${users}/import/check`, 'admin'],
  getUser: [`GET ${user}`, 'member'],
  changeUser: [`PATCH ${user}`, 'admin'],
  removeUser: [`DELETE ${user}`, 'admin'],
  unlockUser: [`DELETE ${user}/failed-logins`, 'support'],
  listUserSessions: [`GET ${user}/sessions`, 'member'],
  endUserSessions: [`DELETE ${user}/sessions`, 'support'],
  createUserCode: [`POST ${user}/codes`, 'support'],
  listUserIdentities: [`GET ${user}/identities`, 'member'],
  removeUserIdentity: [`DELETE ${user}/identities/:identityId`, 'admin'],
  listUserFactors: [`GET ${user}/factors`, 'member'],
  removeUserFactors: [`DELETE ${user}/factors`, 'admin'],

  listTenants: [`GET ${tenants}`, 'member'],
  addTenant: [`POST ${tenants}`, 'admin'],
  getTenant: [`GET ${tenant}`, 'member'],
  changeTenant: [`PATCH ${tenant}`, 'admin'],
  removeTenant: [`DELETE ${tenant}`, 'admin'],
  listMembers: [`GET ${tenant}/members`, 'member'],
  putMember: [`PUT ${member}`, 'admin'],
  removeMember: [`DELETE ${member}`, 'admin'],
  listInvitations: [`GET ${invitations}`, 'member'],
  inviteMember: [`POST ${invitations}`, 'admin'],
  revokeInvitation: [`DELETE ${invitations}/:invitationId`, 'admin'],
} as const satisfies Table

export type OperationName = keyof typeof operations

/** Roles, with the least rights first. */
export const roles = ['member', 'support', 'admin', 'owner'] as const satisfies readonly OperatorRole[]
