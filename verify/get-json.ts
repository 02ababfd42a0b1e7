import { VerifyError, type VerifyErrorCode } from './errors.js'

/** The subset of `fetch` that the verifier calls. The `fetch` of every runtime matches it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request options that the verifier passes to `fetch`. */
export interface FetchInit {
  headers: Record<string, string>
  redirect: 'manual'
  signal: AbortSignal
}

/** The properties of a response that the verifier reads. */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: { getReader(): BodyReader } | null
}

/** The methods of a body's reader that the verifier calls. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

export interface HttpOptions {
  fetch: Fetch
  timeoutMs: number
}

/** Problem codes of the server that become the code of the error. Any other one becomes `unavailable`. */
const refusals: readonly VerifyErrorCode[] = ['token_expired', 'token_invalid', 'database_not_found']

interface RequestOptions {
  /** Size of the largest body that is accepted. */
  maxBytes: number
  headers?: Record<string, string>
}

/**
 * Returns the JSON object of a response with status 200.
 *
 * @throws {VerifyError} if there is no such response
 */
export async function getJson(
  url: string,
  { fetch, timeoutMs }: HttpOptions,
  options: RequestOptions,
): Promise<Record<string, unknown>> {
  try {
    const { status, body } = await get(url, { ...options, fetch, signal: AbortSignal.timeout(timeoutMs) })
    if (status === 200) return body
    const cause = new Error(`GET ${url} returned ${status}`)
    throw new VerifyError(refusals.find((code) => code === body.code) ?? 'unavailable', { cause })
  } catch (cause) {
    throw cause instanceof VerifyError ? cause : new VerifyError('unavailable', { cause })
  }
}

/**
 * Sends a GET request. Returns the status, the JSON object and the seconds of `Retry-After`.
 *
 * @throws if there is no response, or if one with status 200 has no JSON
 */
export async function get(
  url: string,
  {
    fetch,
    signal,
    maxBytes,
    headers = {},
  }: RequestOptions & Pick<HttpOptions, 'fetch'> & Pick<FetchInit, 'signal'>,
) {
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  const { status } = response
  const json = readJson(url, response, maxBytes)
  const body: Record<string, unknown> = Object(await (status === 200 ? json : json.catch(() => undefined)))
  return {
    status,
    body,
    retryAfterSeconds: Number.parseInt(response.headers?.get('retry-after') ?? '', 10) || 0,
  }
}

/** Reads a body up to a limit, because an endless one would fill the memory until the timeout. */
async function readJson(url: string, { body }: FetchResponse, maxBytes: number): Promise<unknown> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    if (!value) return JSON.parse(text + decoder.decode())
    bytes += value.length
    if (bytes > maxBytes) {
      reader?.cancel().catch(() => undefined)
      throw new Error(`${url} has more than ${maxBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** In a Cloudflare Worker, a request cannot await a fetch of another one, and cancels its own fetches when it ends. */
export const isWorker = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers'
