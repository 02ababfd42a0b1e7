import type { z } from 'zod'
import { type OperationName, operations, type Routes } from './operations.js'
import { type Problem, problemOf } from './problems.js'

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never
type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Method<Name extends OperationName> = Routes[Name]

type Params<Name extends OperationName> =
  Method<Name> extends { pathParams: infer Path } ? keyof InputOf<Path> : never

/** A task of several requests. */
export interface Task {
  confirmation?: string | undefined
}

/** What an operation gets. Names of databases come from `Place`. */
export type Given<Name extends OperationName> = { readonly [Param in Params<Name>]: string } & {
  query?: Method<Name> extends { query: infer Query } ? InputOf<Query> : undefined
  body?: Method<Name> extends { body: infer Body } ? InputOf<Body> : undefined
  /** The ETag that the resource must still have. */
  ifMatch?: string | undefined
  /** Keeps the confirmation for further requests of a task, so that the operator is asked once. */
  task?: Task
}

/** What an operation returns. */
export type DataOf<Name extends OperationName> = Method<Name>['responses'] extends infer Responses
  ? 200 extends keyof Responses
    ? OutputOf<Responses[200]>
    : 201 extends keyof Responses
      ? OutputOf<Responses[201]>
      : undefined
  : never

/** A result of an operation, or the reason of its failure. */
export type Result<Data> =
  | { data: Data; etag: string | undefined; error?: undefined }
  | { data?: undefined; error: Problem }

/** What the client needs of the rest of the console. */
export interface Hooks {
  /** Returns an access token, or undefined if the operator is logged out. */
  token(): Promise<string | undefined>
  /** Replaces a token that the server has rejected. Returns whether there is another one. */
  renew(): Promise<boolean>
  /** Asks the operator for a second factor. Returns a confirmation, or undefined if the operator has cancelled. */
  confirm(name: OperationName): Promise<string | undefined>
}

const hooks: Hooks = {
  token: async () => undefined,
  renew: async () => false,
  confirm: async () => undefined,
}

/** Connects the client with the session and the dialog for confirmations. */
export const connect = (given: Partial<Hooks>) => Object.assign(hooks, given)

/** Takes only the confirmation that `beginImport` returns. */
const isPermitted = (name: OperationName) => name === 'importUsers'

/** Sends an operation. Asks for a confirmation if the server demands one, and sends the operation again. Never throws. */
export async function call<Name extends OperationName>(
  name: Name,
  given: Given<Name>,
): Promise<Result<DataOf<Name>>> {
  const first = await sendRenewed(name, given, given.task?.confirmation)
  if (first.error?.code !== 'step_up_required' || isPermitted(name)) return first as Result<DataOf<Name>>
  const confirmation = await hooks.confirm(name)
  if (given.task) given.task.confirmation = confirmation
  const result = confirmation ? await sendRenewed(name, given, confirmation) : { error: cancelled }
  return result as Result<DataOf<Name>>
}

const cancelled: Problem = {
  code: 'cancelled',
  title: 'Not confirmed',
  detail: 'Nothing has changed.',
  errors: [],
}

async function sendRenewed(name: OperationName, given: object, confirmation: string | undefined) {
  const first = await send(name, given, confirmation)
  const isRejected = /^token_/.test(first.error?.code ?? '')
  return isRejected && (await hooks.renew()) ? send(name, given, confirmation) : first
}

async function send(
  name: OperationName,
  given: object,
  confirmation: string | undefined,
): Promise<Result<unknown>> {
  const { method, path: template, role } = operations[name]
  const { query, body, ifMatch, task: _, ...params } = given as Record<string, unknown>
  const path = template.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params[param])))
  const token = role && (await hooks.token())
  const isText = typeof body === 'string'
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
    ...(typeof ifMatch === 'string' && { 'if-match': ifMatch }),
    ...(confirmation && { 'usher-confirmation': confirmation }),
    ...(method === 'POST' && path.includes('/management/') && { 'idempotency-key': crypto.randomUUID() }),
  }
  try {
    const response = await fetch(path + searchOf(query as Query), {
      method,
      headers,
      // Only the session has a cookie. The API takes the token.
      credentials: 'omit',
      signal: AbortSignal.timeout(isText ? 120_000 : 20_000),
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) return { error: problemOf(response.status, text) }
    return {
      data: text ? JSON.parse(text) : undefined,
      etag: response.headers.get('etag') ?? undefined,
    }
  } catch (error) {
    return { error: problemOf(0, String(error)) }
  }
}

type Query = Record<string, unknown> | undefined

function searchOf(query: Query) {
  const set = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  return set.length > 0 ? `?${new URLSearchParams(set.map(([key, value]) => [key, String(value)]))}` : ''
}
