import { Accepted, type DatabasePath } from '@usher/contract'
import { Scope } from '@usher/contract/management'
import { type ApiKey, requireScopes } from '../domain/api-keys/admit-api-key.js'
import type { Caller } from '../domain/caller.js'
import type { Actor, Portal } from '../domain/change.js'
import type { AppContext } from '../domain/context.js'
import type { Database } from '../domain/databases/find-database.js'
import { ifStepMissing } from '../domain/factors/step.js'
import { rightsNeededBy } from '../domain/field-rights.js'
import { etagOf } from '../domain/management/etag.js'
import type { AdmittedOperator, WorkspaceRequest } from '../domain/operators/operator-request.js'
import { Problem } from '../domain/problem.js'
import type { KeyRequest, UserRequest } from '../domain/request.js'
import { requirePart } from './admit.js'
import type { Input, Operation } from './operation.js'

/** An operator of the console, and what the request has for the record. */
export interface OperatorHolder {
  kind: 'operator'
  operator: AdmittedOperator
  requestId: string
  confirmation: string | undefined
}

/** Who sends a request. */
export type Holder =
  | { kind: 'visitor' }
  | ({ kind: 'user' } & Pick<UserRequest, 'user' | 'claims'>)
  | { kind: 'portal'; portal: Portal }
  | ({ kind: 'key' } & Pick<KeyRequest, 'apiKey' | 'read'>)
  | OperatorHolder
  /** The machine of the server, and the workspace of the path. */
  | { kind: 'host'; workspace: WorkspaceRequest['workspace'] | undefined }

/** A validated request of an admitted holder. */
export interface RunRequest extends Input {
  holder: Holder
  caller: Caller
  /** The database of the path. Undefined if it is found only after the request was recorded, or if the path has none. */
  database: Database | undefined
}

export interface Response {
  status: number
  body: unknown
  etag: string | undefined
}

/**
 * Runs an operation for its holder: checks what the fields of the body need, runs the rule, and returns what the holder may see. A
 * change by an operator is recorded before it runs.
 */
export async function run(context: AppContext, operation: Operation, request: RunRequest): Promise<Response> {
  const { status, route } = operation
  const { metadata, responses } = route
  const { holder, body } = request
  if (holder.kind === 'key' && metadata.fields)
    requireScopes(holder.apiKey, rightsNeededBy(body, metadata.fields))
  const result = await (holder.kind === 'operator'
    ? runByOperator(context, operation, { ...request, holder })
    : runRule(context, operation, request))
  return {
    status,
    body: status === 204 ? undefined : responses[202] === Accepted ? {} : result,
    etag: metadata.changeable && etagOf(result as object, metadata.changeable),
  }
}

/** Runs an operation for an operator. Loaded at the first such request, because most servers have none. */
async function runByOperator(
  context: AppContext,
  operation: Operation,
  request: RunRequest & { holder: OperatorHolder },
) {
  const byOperator = await import('./by-operator.js')
  const run = async () => {
    const database = request.database ?? (await findManaged(context, operation, request.params))
    return runRule(context, operation, { ...request, database })
  }
  return byOperator.runByOperator(context, operation, { ...request, run })
}

/** Returns the database of a path of the operator API. @throws {Problem} `database_not_found`, also for that of the operators */
async function findManaged(context: AppContext, { isOfDatabase, route }: Operation, params: unknown) {
  if (!isOfDatabase) return undefined
  const database = await context.findDatabase(params as DatabasePath)
  if (database.isOperators) throw new Problem('database_not_found')
  requirePart(route.metadata, database)
  return database
}

function runRule(
  context: AppContext,
  { rule }: Operation,
  { holder, database, caller, params, query, headers, body }: RunRequest,
) {
  const input = { database, caller, params, query, headers, body, ...foundFor(holder) }
  return database ? rule(context, input).catch(ifStepMissing(context, database)) : rule(context, input)
}

/** Returns who changes something, and what admission has found. */
function foundFor(holder: Holder): { actor: Actor } {
  switch (holder.kind) {
    case 'visitor':
    case 'portal':
      return { actor: holder }
    case 'user':
      return { ...holder, actor: holder }
    case 'key':
      return { ...holder, actor: { kind: 'backend', apiKey: holder.apiKey } }
    case 'operator': {
      const { user } = holder.operator
      const actor: Actor = { kind: 'operator', operator: user }
      return { ...holder.operator, actor, ...withEveryScope(`operator ${user.id}`) }
    }
    case 'host':
      return { ...holder, actor: { kind: 'operator' }, ...withEveryScope('host') }
  }
}

/** Returns what stands for the API key of a holder whose rights were checked. An Idempotency-Key belongs to it. */
const withEveryScope = (id: string): { apiKey: ApiKey } => ({
  apiKey: { id, scopes: new Set(Scope.options) },
})
