import type { Exchange } from './exchange.js'
import { createHashSearch } from './hash-search.js'
import type { Problem, Work } from './schemas.js'
import type { CallOptions, SendableRequest, WorkOptions } from './send.js'

/** Attempts between two reports, a few milliseconds of a computer: so long a page without workers stands still. */
const slice = 4096

/** Runs in the worker. It is a text, so that no bundler has to know of it. */
const source = `const { search } = (${createHashSearch})()
onmessage = ({ data: [seed, bits] }) => {
  for (let from = 0, found = -1; found < 0; from += ${slice}) {
    found = search(seed, bits, { from, count: ${slice} })
    postMessage([from + ${slice}, found])
  }
}`

/** A search that is running. */
interface Search extends Pick<CallOptions, 'signal'> {
  seed: string
  bits: number
  report: (attempts: number) => void
}

/**
 * Sends a request again with the proof that the server wants. Twice, because a retry may have used the first one up.
 *
 * @param exchange in which the server wants it
 * @param call the options of the call, and what sends the request
 */
export async function sendProven(
  exchange: Exchange,
  { init }: SendableRequest,
  { send, ...call }: CallOptions & WorkOptions & { send: () => Promise<Exchange> },
) {
  let last = exchange
  for (let proofs = 0; proofs < 2; proofs++) {
    const { work } = (last.body ?? {}) as Partial<Problem>
    if (work?.kind !== 'work') break
    try {
      init.headers = { ...init.headers, 'Usher-Proof': await prove(work, call) }
    } catch (cause) {
      return { cause }
    }
    last = await send()
  }
  return last
}

/**
 * Does the work of a problem: in a worker, or where there is none, or a page forbids it, in slices between which the page lives.
 *
 * @returns the proof
 * @throws the reason of the abort
 */
async function prove(
  { challenge, bits, subject }: Work,
  { signal, onWork }: CallOptions & WorkOptions,
): Promise<string> {
  const { hash } = createHashSearch()
  const bytes = Array.from(hash(bytesOf(`${challenge}\n${subject}`)), (word) =>
    [24, 16, 8, 0].map((shift) => String.fromCharCode((word >>> shift) & 255)).join(''),
  ).join('')
  const seed = btoa(bytes).replace(/\+/g, '-').replace(/\//g, '_').replaceAll('=', '')
  // How likely the search has ended until then, because nobody knows when it ends.
  const report = (attempts: number) => onWork?.(1 - Math.exp(-attempts / 2 ** bits))
  const search = { seed, bits, signal, report }
  report(0)
  const counter = await inWorker(search).catch(() => inSlices(search))
  onWork?.(1)
  return `${challenge}.${counter}`
}

/** Returns the bytes of a text in UTF-8 as a text. */
const bytesOf = (text: string) =>
  encodeURIComponent(text).replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

async function inWorker({ seed, bits, signal, report }: Search): Promise<number> {
  if (typeof Worker === 'undefined') throw new Error('no workers')
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  let worker: Worker | undefined
  try {
    const started = new Worker(url)
    worker = started
    return await new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      // A Content-Security-Policy without `worker-src blob:` ends here.
      started.onerror = reject
      started.onmessage = ({ data: [attempts, found] }) => {
        report(attempts)
        if (found >= 0) resolve(found)
      }
      started.postMessage([seed, bits])
    })
  } finally {
    worker?.terminate()
    URL.revokeObjectURL(url)
  }
}

async function inSlices({ seed, bits, signal, report }: Search): Promise<number> {
  const { search } = createHashSearch()
  for (let from = 0; ; from += slice) {
    if (signal?.aborted) throw signal.reason
    const found = search(seed, bits, { from, count: slice })
    if (found >= 0) return found
    report(from + slice)
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
  }
}
