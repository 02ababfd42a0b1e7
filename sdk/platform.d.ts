/**
 * Everything that the SDK uses of a runtime in addition to ECMAScript 2022. The build includes no other library, so code
 * that needs anything else does not compile. All of it exists in browsers, Node, Deno, Bun and edge workers.
 */

interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

declare class AbortController {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

declare function fetch(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
): Promise<{
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}>

declare function setTimeout(callback: () => void, milliseconds: number): unknown
declare function clearTimeout(timer: unknown): void

declare function atob(data: string): string
declare function btoa(data: string): string

/** `randomUUID` is undefined in pages served over plain HTTP, except from localhost. */
declare var crypto: { randomUUID?: () => string } | undefined

/** Browsers report a change of `localStorage` by another tab as a `storage` event. Other runtimes have no such function. */
declare var addEventListener: ((type: 'storage', listener: () => void) => void) | undefined
declare var removeEventListener: ((type: 'storage', listener: () => void) => void) | undefined

// Browsers have them. Where they are missing, the client works without.
declare class Worker {
  constructor(url: string)
  onerror: ((event: unknown) => void) | null
  onmessage: ((event: { data: [attempts: number, found: number] }) => void) | null
  postMessage(message: unknown): void
  terminate(): void
}
declare class Blob {
  constructor(parts: string[], options: { type: string })
}
declare const URL: { createObjectURL(blob: Blob): string; revokeObjectURL(url: string): void }
