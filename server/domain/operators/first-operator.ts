import type { ConsoleInfo, CreateFirstOperatorBody, Operator } from '@usher/contract/operator'
import { lockSigningKeys } from '../../store/queries/keys.js'
import { hasOperatorRow } from '../../store/queries/operators.js'
import { version } from '../../version.js'
import type { Caller } from '../caller.js'
import { type ChangeRequest, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { addUser } from '../users/add-user.js'
import { isSetupCode, setupLink } from './links.js'
import { ensurePlace, findOperator } from './operators.js'
import { requireOperators } from './operators-database.js'

/** Returns where operators log in. */
export async function getConsole(context: AppContext): Promise<ConsoleInfo> {
  const { id, workspaceSlug, databaseName } = await requireOperators(context)
  const hasOperators = await hasOperatorRow(context.store, id)
  return { workspace: workspaceSlug, database: databaseName, hasOperators, version }
}

/** Returns the link with which the first operator is created, or undefined if there is an operator or no console. */
export async function findSetupLink(
  context: Pick<AppContext, 'store' | 'findOperators' | 'findSecrets' | 'now'>,
) {
  const operators = await context.findOperators()
  if (!operators || (await hasOperatorRow(context.store, operators.id))) return undefined
  return setupLink(operators, await context.findSecrets(operators.id), context.now())
}

/**
 * Creates the first operator, who is owner of the installation.
 *
 * @throws {Problem} `code_invalid`, also if there is an operator; `validation_failed` by the password policy
 */
export async function createFirstOperator(
  context: AppContext,
  { body, caller }: { body: CreateFirstOperatorBody; caller: Caller },
): Promise<Operator> {
  const { code, email, password } = body
  const database = await requireOperators(context)
  const { id } = database
  const isUsable = async () =>
    isSetupCode(await context.findSecrets(id), code, context.now()) &&
    !(await hasOperatorRow(context.store, id))
  // Checked again under a lock. Here it avoids hashing a password in vain.
  if (!(await isUsable())) throw new Problem('code_invalid')
  const request: ChangeRequest = { database, caller, actor: { kind: 'operator' } }
  const place = { id, name: 'Installation' }
  const { query } = context.store
  await ensurePlace({ query, database, now: new Date(context.now()) }, place)
  const user = { email, password, emailVerified: true, tenants: [{ id, role: 'owner' }] }
  const add = await addUser({ ...context, client: caller }, database, user)
  const created = await runChange(context, request, async (change) => {
    await lockSigningKeys(change, id)
    // A separate statement, because only a later one sees the operator of the transaction that the lock waited for.
    if (await hasOperatorRow(change, id)) throw new Problem('code_invalid')
    return add(change)
  })
  return findOperator(context, database, created.id)
}
