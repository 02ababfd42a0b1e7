import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import { textUpTo } from '../limited-text.js'
import { invalid, ProviderError, unavailable } from './provider-error.js'
import { lookupPublic, requirePublicHost } from './public-address.js'

/** Time limit of a request, in milliseconds. */
export const requestMilliseconds = 5_000

const maxBytes = 256 * 1024
/** Parsing a URL takes time that grows with the square of the combining marks in its host. */
const maxUrlLength = 2048
/** Requests of a process at the same time. */
const maxRequests = 32
/** Those to one origin, so that a slow provider leaves room for the others. */
const maxRequestsOfOrigin = 16

export interface ProviderRequest {
  url: string
  headers?: Record<string, string>
  /** Is sent with POST. */
  form?: URLSearchParams
  /** Aborts the request. */
  signal?: AbortSignal
}

export interface ProviderResponse {
  status: number
  /** The parsed JSON. */
  body: unknown
}

/** Sends a request to a provider. @throws {ProviderError} `provider_unavailable`; `provider_invalid` */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>

/**
 * Creates a function that sends requests to providers: only https, on port 443, to public addresses. It follows no redirect, and
 * reads JSON of a limited size in a limited time.
 *
 * @param privateOrigins origins to which the rules of scheme, port and address do not apply
 */
export function createProviderFetch(privateOrigins: readonly string[]): ProviderFetch {
  const kept = { keepAlive: true, timeout: requestMilliseconds }
  const agents = {
    public: new Agent({ ...kept, lookup: lookupPublic }),
    private: new Agent(kept),
    http: new HttpAgent(kept),
  }
  const limit = pLimit(maxRequests)
  const limits = new LRUCache<string, LimitFunction>({ max: 1_000 })
  return async ({ url, ...request }) => {
    const target = requireUrl(url, privateOrigins)
    const isPrivate = privateOrigins.includes(target.origin)
    if (!isPrivate) requirePublicHost(target.hostname)
    const agent = isPrivate ? (target.protocol === 'http:' ? agents.http : agents.private) : agents.public
    const limitOfOrigin = limits.get(target.origin) ?? pLimit(maxRequestsOfOrigin)
    limits.set(target.origin, limitOfOrigin)
    return limitOfOrigin(() => limit(() => send(target, { ...request, agent })))
  }
}

/** Returns the URL of a request that is allowed. @throws {ProviderError} `provider_invalid` */
export function requireUrl(text: string, privateOrigins: readonly string[]): URL {
  const url = text.length <= maxUrlLength && URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalid(`"${text.slice(0, maxUrlLength)}" is not a URL, or a long one`)
  if (privateOrigins.includes(url.origin)) return url
  if (url.protocol !== 'https:' || url.port || url.username || url.password)
    throw invalid(`${text} must be an https URL on port 443, without user name`)
  return url
}

type Sent = Omit<ProviderRequest, 'url'> & { agent: HttpAgent }

async function send(url: URL, { headers, form, signal, agent }: Sent): Promise<ProviderResponse> {
  signal?.throwIfAborted()
  const options = {
    agent,
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      // GitHub rejects a request without it.
      'user-agent': 'Usher',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  }
  const request = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options)
  let late: ProviderError | undefined
  const giveUp = () => {
    late = unavailable(`${url.origin} has not responded in time`)
    request.destroy(late)
  }
  const timer = setTimeout(giveUp, requestMilliseconds)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject).end(form?.toString())
    })
    return await readResponse(url, response)
  } catch (error) {
    request.destroy()
    if (late || error instanceof ProviderError) throw late ?? error
    throw unavailable(`${url.origin} cannot be reached: ${reasonOf(error)}`, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

/** Returns the code of a network error, because its message may contain more. */
const reasonOf = (error: unknown) =>
  error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? error.message) : String(error)

const jsonType = /^application\/([^;/ ]+\+)?json\s*(;|$)/i

async function readResponse({ origin }: URL, response: IncomingMessage): Promise<ProviderResponse> {
  const { statusCode: status = 0 } = response
  if (status >= 500 || status === 429) throw unavailable(`${origin} has responded with status ${status}`)
  if (status >= 300 && status < 400) throw invalid(`${origin} has responded with a redirect`)
  if (!jsonType.test(response.headers['content-type'] ?? ''))
    throw invalid(`${origin} has responded with status ${status} and no JSON`)
  const text = await textUpTo(maxBytes, response, () =>
    invalid(`${origin} has responded with more than ${maxBytes / 1024} KiB`),
  )
  try {
    return { status, body: JSON.parse(text) }
  } catch (error) {
    throw invalid(`${origin} has responded with invalid JSON`, error)
  }
}
