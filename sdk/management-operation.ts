import type { Endpoint } from './endpoint.js'
import { toUsherError, type UsherError } from './errors.js'
import type { Query } from './path.js'
import { isSuccess, type OperationOptions, requestOf } from './request.js'
import { type CallOptions, send } from './send.js'

/** The database of an API key, and options for sending requests to it. */
export interface ManagementOptions extends OperationOptions {
  /**
   * Root URL of the server, such as `https://users.example.com`, without query and fragment. The port is that of
   * MANAGEMENT_PORT if the server has it.
   */
  baseUrl: string
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
  /**
   * The `etag` of the result that the change is based on. If it is outdated, nothing is changed. Such a request is not sent
   * again, because the first one may have changed the ETag: without a response, read again and compare.
   */
  ifMatch?: string | undefined
}

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type ManagementResult<Data, Code extends string> =
  | {
      data: Data
      error: undefined
      /** The ETag of the response, if it has one: what `ifMatch` expects. */
      etag: string | undefined
      /** Seconds to wait before the next call of `listEvents` or `listRevocations`, if the server could not let this one wait. */
      retryAfterSeconds: number | undefined
    }
  | { data: undefined; error: UsherError<Code>; etag: undefined; retryAfterSeconds: undefined }

/** An operation of the management API. Its path begins with `/management`. */
export interface ManagementEndpoint extends Endpoint<string> {
  /** Media type of a body that has a line of JSON for each of its `lines`. */
  linesType?: string
  /** Field of a page with its items. */
  items?: string
  /** Name of the iterator over the items of all pages. */
  iterator?: string
}

type Lines = { lines: readonly unknown[] }
type Call = (...given: unknown[]) => Promise<ManagementResult<Record<string, unknown>, string>>

type Options = CallOptions & PostOptions & ChangeOptions

/** Number of ids before the other arguments. */
const idCountOf = (path: string) => path.split('{').length - 1

/** Returns the function of an operation. Its arguments are the ids, the body or the query, and the options. */
export function createManagementOperation(endpoint: ManagementEndpoint, options: ManagementOptions): Call {
  const { path, acceptsIdempotencyKey, hasQuery, linesType } = endpoint
  const { apiKey, timeoutMs = 10_000 } = options

  return async (...given) => {
    const rest = [...given]
    const [argument] = hasQuery || linesType ? rest.slice(idCountOf(path)) : []
    const request = requestOf(endpoint, options, rest)
    if (linesType) rest.shift()
    const callOptions = rest[0] as Options | undefined
    const { idempotencyKey, ifMatch } = callOptions ?? {}
    const { headers } = request.init
    headers.Authorization = `Bearer ${apiKey}`
    if (linesType) {
      headers['Content-Type'] = linesType
      request.init.body = (argument as Lines).lines.map((line) => JSON.stringify(line)).join('\n')
    }
    if (acceptsIdempotencyKey && idempotencyKey) {
      headers['Idempotency-Key'] = idempotencyKey
      request.isRepeatable = true
    }
    if (ifMatch) {
      headers['If-Match'] = ifMatch
      request.isRepeatable = false
    }
    // The server holds the request for the seconds of `wait`.
    const waitMs = Number((hasQuery && (argument as Query | undefined)?.wait) || 0) * 1000
    const exchange = await send(request, { ...options, timeoutMs: timeoutMs + waitMs }, callOptions)
    const { response, retryAfterSeconds } = exchange
    if (isSuccess(endpoint, exchange)) {
      const data = exchange.body as Record<string, unknown>
      return { data, error: undefined, etag: response?.headers.get('etag') ?? undefined, retryAfterSeconds }
    }
    const error = toUsherError(endpoint.codes, exchange)
    return { data: undefined, error, etag: undefined, retryAfterSeconds: undefined }
  }
}

/** Returns a function that yields the items of all pages of a list. */
export const createPages = (items: string, path: string, call: Call) =>
  async function* (...given: unknown[]) {
    const idCount = idCountOf(path)
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
