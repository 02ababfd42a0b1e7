import type { IncomingMessage } from 'node:http'
import { textUpTo } from '../limited-text.js'
import { createGuardedRequest } from '../public-address.js'

/** Time limit of a request, in milliseconds. */
export const requestMilliseconds = 5_000

/** Time limit of all requests of a login together, in milliseconds. */
const loginMilliseconds = 10_000

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

interface Waiting {
  owners: readonly string[]
  start: () => void
}

/**
 * Creates a function that runs tasks: at most `total` at the same time, and at most `share` of each owner of a task. The task whose
 * owners have the fewest running ones is next, so that no owner delays the tasks of others.
 */
function createFairLimit({ total, share }: { total: number; share: number }) {
  const running = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let count = 0
  const runningOf = (owner: string) => running.get(owner) ?? 0

  function add(owners: readonly string[], number: 1 | -1) {
    count += number
    for (const owner of owners) {
      const left = runningOf(owner) + number
      if (left === 0) running.delete(owner)
      else running.set(owner, left)
    }
  }

  function findNext() {
    let next: Waiting | undefined
    let fewest = share
    for (const each of count < total ? waiting : []) {
      const most = Math.max(...each.owners.map(runningOf))
      if (most >= fewest) continue
      next = each
      fewest = most
    }
    return next
  }

  function startWaiting() {
    for (let next = findNext(); next; next = findNext()) {
      waiting.delete(next)
      add(next.owners, 1)
      next.start()
    }
  }

  /** Runs a task when its turn comes. @param signal removes a task that waits. @throws the reason of the signal */
  return async <Result>(
    owners: readonly string[],
    task: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    await new Promise<void>((start, reject) => {
      const entry = { owners, start }
      waiting.add(entry)
      signal?.addEventListener('abort', () => waiting.delete(entry) && reject(signal.reason), { once: true })
      startWaiting()
    })
    try {
      return await task()
    } finally {
      add(owners, -1)
      startWaiting()
    }
  }
}

/** Why a login at a provider has failed, as the page of the app learns it. */
export type ProviderErrorCode =
  /** The person has refused, or has cancelled. */
  | 'access_denied'
  /** The code of the provider is not valid, or no longer. */
  | 'code_invalid'
  /** The provider has sent something that is not valid, or does not accept the client. */
  | 'provider_invalid'
  /** The provider has not responded in time, or reports an error of its own. */
  | 'provider_unavailable'

/** A login that a provider has made fail. The message is for operators: no client gets it. */
export class ProviderError extends Error {
  override name = 'ProviderError'

  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** A provider that limits requests, such as after many made-up codes. */
export class LimitedError extends ProviderError {
  constructor(origin: string) {
    super('provider_unavailable', `${origin} has responded with status 429`)
  }
}

export const invalid = (message: string, cause?: unknown) =>
  new ProviderError('provider_invalid', message, cause)

export const unavailable = (message: string, cause?: unknown) =>
  new ProviderError('provider_unavailable', message, cause)

/** Runs requests of a login. Aborts them when they take too long. */
export async function withinTime<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(`the provider has not responded within ${loginMilliseconds / 1000} s`))
      controller.abort()
    }, loginMilliseconds)
  })
  try {
    return await Promise.race([run(controller.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
