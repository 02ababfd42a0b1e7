import type { OperatorRole } from '@usher/contract/operator'
import type { AppContext } from '../domain/context.js'
import { rightsNeededBy } from '../domain/field-rights.js'
import { runRecorded } from '../domain/operators/actions.js'
import { requireConfirmed } from '../domain/operators/admit-operator.js'
import { hasRank, noOperators } from '../domain/operators/rights.js'
import type { Operation } from './operation.js'
import type { OperatorHolder, RunRequest } from './run.js'

/**
 * Runs an operation for an operator: checks what its body needs, records a change, and hides what the role may not see.
 *
 * @throws {Problem} `role_insufficient`; `step_up_required`
 */
export async function runByOperator(
  context: AppContext,
  { name, route: { metadata } }: Operation,
  { holder, caller, params, body, run }: RunRequest & { holder: OperatorHolder; run: () => Promise<unknown> },
): Promise<unknown> {
  const { operator, requestId, confirmation } = holder
  const needed = rightsNeededBy(body, metadata.fields).map((field) => field.operator)
  if (needed.includes('never')) throw noOperators()
  if (needed.includes('confirms')) await requireConfirmed(context, operator, { text: confirmation })
  const recorded = {
    action: name,
    operator: operator.user,
    databaseId: operator.operators.id,
    requestId,
    params: params as Readonly<Record<string, string | undefined>>,
    body,
    run,
  }
  return seenBy(operator.role, await (metadata.records ? runRecorded(context, caller.log, recorded) : run()))
}

/** Returns what a role may see of a response. */
const seenBy = (role: OperatorRole, response: unknown) =>
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
