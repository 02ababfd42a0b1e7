import { type OperatorRight, operatorRightOf, type RouteMetadata } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { defaultSettings } from '@usher/contract/settings'
import { rightsNeededBy } from '../../domain/field-rights.js'
import { Problem } from '../../domain/problem.js'
import type { TypedCommand } from '../io/host.js'

type OperationIn<Routes> = {
  [Name in keyof Routes]: Routes[Name] extends { metadata: { who: OperatorRight } } ? Name : never
}[keyof Routes]
type OperationOf<Contract> = { [Noun in keyof Contract]: OperationIn<Contract[Noun]> }[keyof Contract]
/** The operations that operators may use. */
type Operation = OperationOf<typeof operatorContract> | OperationOf<typeof managementContract>

type Options = TypedCommand['options']

/** What a command of another machine needs. */
interface CommandRight {
  /** The operation that does the same. The command needs its role, and its confirmation if it has one. */
  operation: Operation | ((options: Options) => Operation)
  /** Where the role counts. By default where it counts for the operation. */
  in?: OperatorRight['in']
  /** Whether options need a confirmation that not each request of the operation needs. */
  confirms?: (options: Options) => boolean
  /** Fields of the operation that the command sets without an option. */
  sets?: object
  /** Returns what only the host may do with the options, if there is something. */
  hostOnly?: (options: Options) => string | false
}

const operations = new Map(
  [managementContract, operatorContract].flatMap((contract) =>
    Object.values(contract).flatMap((router) =>
      Object.entries(router as Record<string, { metadata: RouteMetadata }>),
    ),
  ),
)

const metadataOf = (operation: Operation) =>
  (operations.get(operation) as { metadata: RouteMetadata }).metadata

/** Returns whether a field of a body needs a confirmation. */
const isConfirmedBody = (operation: Operation, body: object) =>
  rightsNeededBy(body, metadataOf(operation).fields).some(({ operator }) => operator === 'confirms')

const hasConfirmedSetting = (settings: Options) => isConfirmedBody('changeSettings', { settings })

/** The console has no settings of mails, and no other options of `database create` and `database set`. */
const otherThanSettings = ({ json: _, ...options }: Options) =>
  Object.keys(options).some((name) => !Object.hasOwn(defaultSettings, name)) &&
  'with options of mails, --force or --new-webhook-secret'

/**
 * What each command needs if an operator runs it from another machine. `host` is for what only the host may do: what shows hashes,
 * secrets or codes, what sets passwords, and what is for the whole installation and no operation of the console.
 */
export const commandRights: Readonly<Record<string, CommandRight | 'host'>> = {
  serve: 'host',
  migrate: 'host',
  openapi: 'host',
  login: 'host',
  logout: 'host',
  'store distribute': 'host',
  'workspace create': { operation: 'createWorkspace' },
  'workspace list': { operation: 'listWorkspaces' },
  'workspace delete': 'host',
  'database create': {
    operation: 'createDatabase',
    confirms: hasConfirmedSetting,
    hostOnly: otherThanSettings,
  },
  'database list': { operation: 'listDatabases', in: 'anywhere' },
  'database show': { operation: 'getSettings' },
  'database set': { operation: 'changeSettings', confirms: hasConfirmedSetting, hostOnly: otherThanSettings },
  'database delete': { operation: 'deleteDatabase' },
  'user create': {
    operation: 'addUser',
    hostOnly: ({ password }) => password !== false && 'without --no-password',
  },
  'user list': { operation: 'listUsers' },
  'user show': { operation: 'getUser' },
  'user factors': { operation: 'listUserFactors' },
  'user remove-factors': { operation: 'removeUserFactors' },
  'user disable': { operation: 'changeUser', sets: { disabled: true } },
  'user enable': { operation: 'changeUser', sets: { disabled: false } },
  'user set-email': {
    operation: 'changeUser',
    sets: { email: '' },
    confirms: () => isConfirmedBody('changeUser', { email: '' }),
  },
  'user set-password': 'host',
  'user send-reset': { operation: 'createUserCode' },
  'user revoke-tokens': { operation: 'endUserSessions' },
  'user unlock': { operation: 'unlockUser' },
  'user delete': { operation: 'removeUser' },
  'user import': { operation: ({ dryRun }) => (dryRun ? 'checkImport' : 'beginImport') },
  'user export': 'host',
  'tenant create': { operation: 'addTenant' },
  'tenant list': { operation: 'listTenants' },
  'tenant rename': { operation: 'changeTenant' },
  'tenant set-seats': { operation: 'changeTenant' },
  'tenant delete': { operation: 'removeTenant' },
  'tenant list-users': { operation: 'listMembers' },
  'tenant add-user': { operation: 'putMember' },
  'tenant remove-user': { operation: 'removeMember' },
  'tenant list-invitations': { operation: 'listInvitations' },
  'tenant invite': { operation: 'inviteMember' },
  'tenant revoke-invitation': { operation: 'revokeInvitation' },
  'mail preview': { operation: 'getSettings' },
  'outbox list': { operation: 'listDeliveries' },
  'outbox retry': { operation: 'retryDeliveries' },
  'outbox drop': { operation: 'dropDeliveries' },
  'events expire-cursors': 'host',
  'keys list': { operation: 'listKeys' },
  'keys rotate': {
    operation: 'rotateKeys',
    confirms: ({ activateIn: activateInSeconds }) => isConfirmedBody('rotateKeys', { activateInSeconds }),
  },
  'keys retire': { operation: 'retireKey' },
  'keys rewrap': 'host',
  'connection add': { operation: 'addConnection' },
  'connection list': { operation: 'listConnectionDetails' },
  'connection set': { operation: 'changeConnection' },
  'connection check': { operation: 'checkConnection' },
  'connection remove': { operation: 'removeConnection' },
  'api-key create': { operation: 'createApiKey' },
  'api-key list': { operation: 'listApiKeys' },
  'api-key rotate': { operation: 'rotateApiKey' },
  'api-key revoke': { operation: 'revokeApiKey' },
  'operator list': { operation: 'listOperators' },
  'operator add': { operation: 'addOperator' },
  'operator reset': 'host',
  'operator remove': { operation: 'removeOperator' },
}

/** An operation, and what it needs. */
export interface NeededOperation {
  operation: string
  isRead: boolean
  right: OperatorRight
  confirms: boolean
  /** What the operation would get. */
  body: object
}

/** Returns what a command needs. @throws {Problem} `host_only` */
export function neededFor({ name, options }: Pick<TypedCommand, 'name' | 'options'>): NeededOperation {
  const right = Object.hasOwn(commandRights, name) ? commandRights[name] : undefined
  const hostOnly = right && right !== 'host' && right.hostOnly?.(options)
  if (!right || right === 'host' || hostOnly) {
    const what = [name, hostOnly].filter(Boolean).join(' ')
    throw new Problem('host_only', { detail: `Only the machine of the server can run: ${what}.` })
  }
  const operation = operationOf(right, options)
  const metadata = metadataOf(operation)
  const needed = operatorRightOf(metadata) as OperatorRight
  const { json: _, ...fields } = options
  return {
    operation,
    isRead: !metadata.records,
    right: { ...needed, in: right.in ?? needed.in },
    confirms: metadata.confirms !== undefined || right.confirms?.(options) === true,
    body: { ...fields, ...right.sets },
  }
}

const operationOf = ({ operation }: CommandRight, options: Options) =>
  typeof operation === 'function' ? operation(options) : operation
