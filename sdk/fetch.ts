/** What the client asks of `fetch`: the runtime's own fits, and so does a function of a few lines. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request as handed to `fetch`. */
export interface FetchInit {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** What the client reads of a response. */
export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}
