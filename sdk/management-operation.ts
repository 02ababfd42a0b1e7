import { toUsherError, type UsherError } from './errors.js'
import type { FetchInit } from './fetch.js'
import { type CallOptions, type SendOptions, send } from './send.js'

/** The database of an API key, and options for sending requests to it. */
export interface ManagementOptions extends SendOptions {
  /**
   * Root URL of the server, such as `https://users.example.com`, without query and fragment. The port is that of
   * MANAGEMENT_PORT if the server has it.
   */
  baseUrl: string
  /** Slug of the workspace. */
  workspace: string
  /** Name of the database. */
  database: string
  /** The API key that `usher api-key create` printed. */
  apiKey: string
}

/** Options of a call that creates something. */
export interface PostOptions {
  /**
   * Identifies the request, so that a repeated one has no second effect. A random one by default, which all retries of a
   * call have. Pass one of your own, such as the id of a job, to repeat a call after a crash of your process.
   */
  idempotencyKey?: string | undefined
}

/** Options of a call that changes something. */
export interface ChangeOptions {
  /** The `etag` of the result that the change is based on. If it is outdated, nothing is changed. */
  ifMatch?: string | undefined
}

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type ManagementResult<Data, Code extends string> =
  | { data: Data; error: undefined; etag: string | undefined }
  | { data: undefined; error: UsherError<Code>; etag: undefined }

/** How to send the requests of an operation, and how to read their responses. */
export interface ManagementEndpoint {
  method: FetchInit['method']
  /** Path below that of the management API, with parameters such as `{userId}`. */
  path: string
  /** Media type of the body. Without it, the operation has none. */
  bodyType?: string
  hasQuery?: true
  acceptsIdempotencyKey?: true
  /** Whether the request may be sent again after status 503 or without a response, because the server may have done it. */
  isRepeatable?: true
  /** HTTP status of success. */
  status: number
  /** A field of every successful response, because a response may come from another service. */
  field?: string
  /** Field of a page with its items. */
  items?: string
  /** Name of the iterator over the items of all pages. */
  iterator?: string
  codes: readonly string[]
}

type Query = Record<string, string | number | boolean | undefined>
type Options = CallOptions & PostOptions & ChangeOptions
type Call = (...given: unknown[]) => Promise<ManagementResult<Record<string, unknown>, string>>

/** Returns the function of an operation. Its arguments are the ids, the body or the query, and the options. */
export function createManagementOperation(endpoint: ManagementEndpoint, options: ManagementOptions): Call {
  const { method, path, bodyType, hasQuery, field } = endpoint
  const idCount = path.split('{').length - 1

  return async (...given) => {
    const ids = given.slice(0, idCount)
    const argument = bodyType || hasQuery ? given[idCount] : undefined
    const callOptions = given[idCount + (bodyType || hasQuery ? 1 : 0)] as Options | undefined
    const query = (hasQuery && (argument as Query | undefined)) || {}
    const body = bodyType && (bodyType === 'application/json' ? JSON.stringify(argument) : String(argument))
    const key = endpoint.acceptsIdempotencyKey && (callOptions?.idempotencyKey ?? crypto?.randomUUID?.())
    const { baseUrl, workspace, database, apiKey, timeoutMs = 10_000 } = options
    const root = `${baseUrl.replace(/\/+$/, '')}/workspaces/${workspace}/databases/${database}/management`
    const request = {
      // A text that is no id could lead to another path, such as that of a list.
      url:
        root + path.replace(/\{\w+\}/g, () => String(ids.shift()).replace(/[^\w-]|^$/g, '_')) + toText(query),
      init: {
        method,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          ...(body && { 'Content-Type': bodyType }),
          ...(key && { 'Idempotency-Key': key }),
          ...(callOptions?.ifMatch && { 'If-Match': callOptions.ifMatch }),
        },
        ...(body && { body }),
      },
      isRepeatable: !!(endpoint.isRepeatable || key),
    }
    // The server holds a request with `wait` for so many seconds.
    const waitMs = Number(query.wait ?? 0) * 1000
    const exchange = await send(request, { ...options, timeoutMs: timeoutMs + waitMs }, callOptions)
    const data = exchange.body as Record<string, unknown>
    const { response } = exchange
    return response?.status === endpoint.status && (!field || data?.[field] !== undefined)
      ? { data, error: undefined, etag: response.headers.get('etag') ?? undefined }
      : { data: undefined, error: toUsherError(endpoint.codes, exchange), etag: undefined }
  }
}

/** Returns a function that yields the items of all pages of a list. */
export const createPages = (items: string, path: string, call: Call) =>
  async function* (...given: unknown[]) {
    const idCount = path.split('{').length - 1
    const [query, callOptions] = given.slice(idCount)
    let after: unknown
    do {
      const page = { ...(query as Query | undefined), ...(after !== undefined && { after }) }
      const { data, error } = await call(...given.slice(0, idCount), page, callOptions)
      if (error) throw error
      yield* data[items] as unknown[]
      after = data.moreAvailable === false ? null : data.next
    } while (after !== null && after !== undefined)
  }

function toText(query: Query) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
