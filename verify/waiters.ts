/** Creates a set of callers that wait until they are resumed, at most for a time. */
export function createWaiters(timeoutMs: number) {
  const waiting = new Set<() => void>()
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        // Keeps the process alive, because a caller waits for a result.
        const timer = setTimeout(() => resume(), timeoutMs)
        const resume = () => {
          clearTimeout(timer)
          waiting.delete(resume)
          resolve()
        }
        waiting.add(resume)
      }),
    resumeAll() {
      for (const resume of waiting) resume()
    },
  }
}

/** Waits, or until the signal aborts. Does not keep a process alive, where the runtime allows that. */
export const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer as number)
      resolve()
    }
    const timer: unknown = setTimeout(end, milliseconds)
    ;(timer as { unref?: () => void }).unref?.()
    signal.addEventListener('abort', end, { once: true })
    // An aborted signal has no further event.
    if (signal.aborted) end()
  })
