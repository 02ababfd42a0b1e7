/** The subset of `fetch` that the client calls. The `fetch` of every runtime matches it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request options that the client passes to `fetch`. */
export interface FetchInit {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** The properties of a response that the client reads. */
export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}
