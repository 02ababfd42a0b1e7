import type { OperatorAction, OperatorActionList } from '@usher/contract/operator'
import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import {
  type ActionFilter,
  endAction,
  insertAction,
  listActionRows,
} from '../../store/queries/operator-actions.js'
import type { ConsoleOperator } from '../change.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { problemOf } from '../problem.js'
import type { OperatorDatabaseRequest, OperatorRequest } from './operator-request.js'
import { requireOperators } from './operators-database.js'

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
  body: unknown
}

/** What follows the workspace and the database in a path. The user of a membership comes first, so that the user has it. */
const targetNames = ['userId', 'tenantId', 'operatorId', 'apiKeyId', 'kid', 'connection'] as const

function targetOf(params: RecordedOperation['params']) {
  const [named = null] = targetNames.flatMap((name) => params[name] ?? [])
  // An argument of a command may have an id in upper case.
  const target = named !== null && isUuid(named) ? named.toLowerCase() : named
  return { target: recorded(target), tenantId: (params.userId && params.tenantId) ?? null }
}

/** Returns which fields a body sets, without values that may be private. Undefined if it has none, as a file. */
function fieldsOf(body: unknown) {
  if (body === null || typeof body !== 'object') return undefined
  const { settings, ...others } = body as Record<string, unknown>
  const fields = Object.entries({ ...others, ...Object(settings) })
  // The store accepts no other text of a body that was not validated yet.
  return fields
    .filter(([name]) => /^\w+$/.test(name))
    .map(([name, value]) => (typeof value === 'boolean' ? `${name}: ${value}` : name))
    .join(', ')
}

/** A body may have unknown fields, and a path names that nothing has. */
const maxLength = 255

/** Returns a text as it is recorded. */
const recorded = (text: string | null | undefined) =>
  text?.slice(0, maxLength).replace(/\p{C}/gu, '\uFFFD') || null

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
    body,
    run,
  }: RecordedOperation & { run: () => Promise<Result> },
): Promise<Result> {
  const key = { databaseId, id: uuidv7() }
  await insertAction(store, {
    ...key,
    operatorId: operator.id,
    operatorEmail: operator.email,
    action,
    workspace: recorded(params.workspaceSlug),
    databaseName: recorded(params.databaseName),
    ...targetOf(params),
    fields: recorded(fieldsOf(body)),
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

/** The query of a page. */
interface PageQuery {
  limit?: number | undefined
  after?: string | undefined
}

/** Returns a page of what operators have done, the latest first. */
export const listActions = (
  context: AppContext,
  {
    query: { operatorId, ...page },
  }: OperatorRequest & { query: PageQuery & { operatorId?: string | undefined } },
) => readActions(context, { operatorId }, page)

/** Returns a page of what operators have done in a database, the latest first. */
export const listDatabaseActions = (
  context: AppContext,
  {
    database,
    query: { target, ...page },
  }: OperatorDatabaseRequest & { query: PageQuery & { target?: string | undefined } },
) => readActions(context, { database, target }, page)

async function readActions(
  context: AppContext,
  filter: ActionFilter,
  page: PageQuery,
): Promise<OperatorActionList> {
  const { id: databaseId } = await requireOperators(context)
  const { rows, next } = await readPage(page, (read) =>
    listActionRows(context.store, { ...filter, databaseId }, read),
  )
  const actions = rows.map(
    ({ createdAt, databaseName, ...row }): OperatorAction => ({
      ...row,
      database: databaseName,
      at: createdAt.toISOString(),
    }),
  )
  return { actions, next }
}
