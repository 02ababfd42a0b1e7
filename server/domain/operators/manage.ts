import type { RouteMetadata } from '@usher/contract'
import type { OperatorRole } from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import { rightsNeededBy } from '../field-rights.js'
import { type RecordedOperation, runRecorded } from './actions.js'
import { requireConfirmed } from './admit-operator.js'
import type { AdmittedOperator } from './operator-request.js'
import { hasRank, noOperators } from './rights.js'

/** A request of an operator for an operation of the management API. */
export interface Managed {
  operation: string
  metadata: RouteMetadata
  operator: AdmittedOperator
  body: unknown
  params: RecordedOperation['params']
  request: {
    id: string
    headers: Readonly<Record<string, string | string[] | undefined>>
    log: Parameters<typeof runRecorded>[1]
  }
}

/**
 * Runs an operation of the management API for an operator: checks what its body needs, records a change, and hides what the role may
 * not see.
 *
 * @throws {Problem} `role_insufficient`; `step_up_required`
 */
export async function runManaged(
  context: AppContext,
  { operation, metadata, operator, body, params, request }: Managed,
  run: () => Promise<unknown>,
): Promise<unknown> {
  await requireFieldRights(context, operator, {
    metadata,
    body,
    confirmation: request.headers['usher-confirmation'],
  })
  const { user, operators, role } = operator
  const recorded = {
    action: operation,
    operator: user,
    databaseId: operators.id,
    requestId: request.id,
    params,
    body,
    run,
  }
  const result = await (metadata.records ? runRecorded(context, request.log, recorded) : run())
  return seenBy(role, result)
}

/** @throws {Problem} `role_insufficient` for a field that no operator may send; `step_up_required` */
export async function requireFieldRights(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  operator: AdmittedOperator,
  {
    metadata: { fields },
    body,
    confirmation,
  }: Pick<Managed, 'metadata' | 'body'> & { confirmation: string | string[] | undefined },
) {
  const needed = rightsNeededBy(body, fields).map((field) => field.operator)
  if (needed.includes('never')) throw noOperators()
  if (needed.includes('confirms'))
    await requireConfirmed(context, operator, { text: confirmation?.toString() })
}

/** Returns what a role may see of a response. */
export const seenBy = (role: OperatorRole, response: unknown) =>
  hasRank(role, 'admin') ? response : withoutPrivate(response)

/** Returns a response without the private objects of users and tenants, at the top and in lists. */
function withoutPrivate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrivate)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([name, each]) => {
    if (name === 'privateMetadata') return [name, null]
    return [name, Array.isArray(each) ? withoutPrivate(each) : each]
  })
  return Object.fromEntries(fields)
}
