import type { IncomingMessage } from 'node:http'
import { textUpTo } from '../limited-text.js'
import { createGuardedRequest } from '../public-address.js'
import { createFairLimit } from './fair-limit.js'
import { invalid, LimitedError, ProviderError, unavailable } from './provider-error.js'

/** Time limit of a request, in milliseconds. */
export const requestMilliseconds = 5_000

const maxBytes = 256 * 1024
/** Parsing a URL takes time that grows with the square of the combining marks in its host. */
const maxUrlLength = 2048
/** Requests of a process at the same time, of each database and to each origin, so that slow providers leave room for the others. */
const limits = { total: 128, share: 16 }

export interface ProviderRequest {
  url: string
  /** The database whose login this is. Undefined for what logins of several databases wait for. */
  databaseId?: string
  /** Whether `PRIVATE_ISSUERS` has the issuer, so that origins there may be private. */
  isPrivate: boolean
  headers?: Record<string, string>
  /** Is sent with POST. */
  form?: URLSearchParams
  /** Aborts the request. */
  signal?: AbortSignal
}

export interface ProviderResponse {
  status: number
  /** The parsed JSON, or the text of a JWT. */
  body: unknown
}

/** Sends a request to a provider. @throws {ProviderError} `provider_unavailable`; `provider_invalid` */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>

/**
 * Creates a function that sends requests to providers: only https, on port 443, to public addresses. It follows no redirect, and
 * reads JSON of a limited size in a limited time.
 *
 * @param privateIssuers to whose origins the rules of scheme, port and address do not apply
 */
export function createProviderFetch(privateIssuers: readonly string[]): ProviderFetch {
  const start = createGuardedRequest({ keepAlive: true, timeout: requestMilliseconds }, notPublic)
  const limit = createFairLimit(limits)
  return async ({ url, isPrivate, databaseId, ...request }) => {
    const exempt = isPrivate ? originsOf(privateIssuers) : []
    const target = requireUrl(url, exempt)
    const isExempt = exempt.includes(target.origin)
    const owners = [target.origin, ...(databaseId === undefined ? [] : [databaseId])]
    return limit(owners, () => send(start, { ...request, url: target, isExempt }), request.signal)
  }
}

/** Returns the origins of private issuers. */
export const originsOf = (issuers: readonly string[]) => issuers.map((issuer) => new URL(issuer).origin)

/** Returns the URL of a request that is allowed. @throws {ProviderError} `provider_invalid` */
export function requireUrl(text: string, privateOrigins: readonly string[]): URL {
  const url = text.length <= maxUrlLength && URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalid(`"${text.slice(0, maxUrlLength)}" is not a URL, or a long one`)
  if (privateOrigins.includes(url.origin)) return url
  if (url.protocol !== 'https:' || url.port || url.username || url.password)
    throw invalid(
      `${text} must be an https URL on port 443, without user name. For another port, or http on this machine, add the issuer to PRIVATE_ISSUERS`,
    )
  return url
}

const notPublic = (hostname: string, address: string) =>
  invalid(
    `${hostname} is at ${address}, which is not a public address. If it is right, add the issuer to PRIVATE_ISSUERS`,
  )

type Sent = Pick<ProviderRequest, 'headers' | 'form' | 'signal'> & { url: URL; isExempt: boolean }

async function send(
  start: ReturnType<typeof createGuardedRequest>,
  { url, isExempt, headers, form, signal }: Sent,
): Promise<ProviderResponse> {
  const options = {
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      // GitHub rejects a request without it.
      'user-agent': 'Usher',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  }
  const request = start(url, isExempt, options)
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

/** Errors of a certificate whose authority is not known. */
const unknownAuthority =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/

/** Returns the code of a network error, because its message may contain more. */
function reasonOf(error: unknown) {
  if (!(error instanceof Error)) return String(error)
  const reason = String((error as NodeJS.ErrnoException).code ?? error.message)
  if (!unknownAuthority.test(reason)) return reason
  return `${reason}. If it has a certificate of your own authority, set NODE_EXTRA_CA_CERTS`
}

const jsonType = /^application\/([^;/ ]+\+)?json\s*(;|$)/i
const jwtType = /^application\/jwt\s*(;|$)/i

async function readResponse({ origin }: URL, response: IncomingMessage): Promise<ProviderResponse> {
  const { statusCode: status = 0 } = response
  if (status === 429) throw new LimitedError(origin)
  if (status >= 500) throw unavailable(`${origin} has responded with status ${status}`)
  if (status >= 300 && status < 400) throw invalid(`${origin} has responded with a redirect`)
  const type = response.headers['content-type'] ?? ''
  const isJwt = jwtType.test(type)
  if (!isJwt && !jsonType.test(type))
    throw invalid(`${origin} has responded with status ${status} and no JSON`)
  const text = await textUpTo(maxBytes, response, () =>
    invalid(`${origin} has responded with more than ${maxBytes / 1024} KiB`),
  )
  try {
    return { status, body: isJwt ? text : JSON.parse(text) }
  } catch (error) {
    throw invalid(`${origin} has responded with invalid JSON`, error)
  }
}
