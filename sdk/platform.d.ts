/**
 * All that the SDK uses of a runtime beyond ECMAScript 2022. The build has no other library, so whatever is not
 * in every browser, Node, Deno, Bun and edge worker does not compile.
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

declare function setTimeout(run: () => void, milliseconds: number): unknown
declare function clearTimeout(timer: unknown): void

/** Absent from pages served over plain HTTP by another host than localhost. */
declare var crypto: { randomUUID?: () => string } | undefined
