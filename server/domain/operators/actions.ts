import type { OperatorAction, OperatorActionList } from '@usher/contract/operator'
import { v7 as uuidv7 } from 'uuid'
import { endAction, insertAction, listActionRows } from '../../store/queries/operators.js'
import type { ConsoleOperator } from '../change.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { problemOf } from '../problem.js'
import type { OperatorRequest } from './operator-request.js'

/** What is recorded of an operation. */
export interface RecordedOperation {
  /** Name in the contract. */
  action: string
  operator: ConsoleOperator
  /** Id of the operators' database. */
  databaseId: string
  requestId: string
  /** The path parameters. */
  params: Readonly<Record<string, string | undefined>>
}

/** What follows the workspace and the database in a path. */
const targetNames = [
  'userId',
  'tenantId',
  'invitationId',
  'operatorId',
  'apiKeyId',
  'kid',
  'connection',
] as const

function targetOf(params: RecordedOperation['params']) {
  const named = targetNames.flatMap((name) => params[name] ?? [])
  // A member is named by tenant and user.
  return named.length > 0 ? named.join(' ') : null
}

/** Returns the id of what an operation has created, or the name of what has no id, such as a connection. */
const createdBy = (result: unknown) => {
  const {
    operator,
    name,
    id = operator?.id ?? name,
  } = Object(result) as {
    id?: unknown
    name?: unknown
    operator?: { id: string }
  }
  return typeof id === 'string' ? id : null
}

/**
 * Records what an operator does, runs it, and records how it has ended. Does not run it if it cannot be recorded. If the server ends
 * meanwhile, the outcome stays unknown.
 */
export async function runRecorded<Result>(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  log: { warn(fields: object, message: string): void },
  {
    action,
    operator,
    databaseId,
    requestId,
    params,
    run,
  }: RecordedOperation & { run: () => Promise<Result> },
): Promise<Result> {
  const key = { databaseId, id: uuidv7() }
  await insertAction(store, {
    ...key,
    operatorId: operator.id,
    operatorEmail: operator.email,
    action,
    workspace: params.workspaceSlug ?? null,
    databaseName: params.databaseName ?? null,
    target: targetOf(params),
    requestId,
    createdAt: new Date(now()),
  })
  const end = (outcome: string, target: string | null = null) =>
    endAction(store, { ...key, outcome, target }).catch((err) =>
      log.warn({ err, action: key.id }, 'the outcome of an action was not stored'),
    )
  try {
    const result = await run()
    await end('done', createdBy(result))
    return result
  } catch (error) {
    await end(problemOf(error).code)
    throw error
  }
}

/** Returns a page of what operators have done, the latest first. */
export async function listActions(
  { store }: AppContext,
  {
    operators,
    query: { operatorId, ...page },
  }: OperatorRequest & {
    query: { operatorId?: string | undefined; limit?: number | undefined; after?: string | undefined }
  },
): Promise<OperatorActionList> {
  const of = { databaseId: operators.id, operatorId }
  const { rows, next } = await readPage(page, (read) => listActionRows(store, of, read))
  const actions = rows.map(
    ({ createdAt, databaseName, ...row }): OperatorAction => ({
      ...row,
      database: databaseName,
      at: createdAt.toISOString(),
    }),
  )
  return { actions, next }
}
