import type { OperatorRole } from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { type RecordedOperation, runRecorded } from './actions.js'
import { requireConfirmed } from './admit-operator.js'
import { isConfirmedBody } from './confirmed-bodies.js'
import type { AdmittedOperator } from './operator-request.js'
import { hasRank, managementRight } from './rights.js'

type Body = Readonly<Record<string, unknown>>

/** What only backends and the host may send in a body. */
const hostOnly: Readonly<Record<string, (body: Body) => boolean>> = {
  addUser: ({ password, passwordHash }) => password !== undefined || passwordHash !== undefined,
  createUserCode: ({ deliver }) => deliver === 'return',
}

/** A request of an operator for an operation of the management API. */
export interface Managed {
  operation: string
  isRead: boolean
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
  { operation, isRead, operator, body, params, request }: Managed,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const given = Object(body) as Body
  if (hostOnly[operation]?.(given))
    throw new Problem('role_insufficient', {
      detail: 'Operators of the console cannot do this. Use an API key, or a command of the host.',
    })
  if (isConfirmedBody(operation, given))
    await requireConfirmed(context, operator, { text: request.headers['usher-confirmation']?.toString() })
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
  const { permit, onlyReads } = managementRight(operation) ?? {}
  const isRecorded = !isRead && !permit && !onlyReads
  const result = await (isRecorded ? runRecorded(context, request.log, recorded) : run())
  return seenBy(role, result)
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
