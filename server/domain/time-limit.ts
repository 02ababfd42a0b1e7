/**
 * Runs a delivery, and aborts it after a time or when the server stops.
 *
 * @throws the error of the delivery, or the reason why it was aborted
 */
export async function withTimeLimit(
  milliseconds: number,
  stopped: AbortSignal,
  deliver: (signal: AbortSignal) => Promise<unknown>,
) {
  const delivery = new AbortController()
  const abort = () => delivery.abort()
  const timer = setTimeout(abort, milliseconds)
  stopped.addEventListener('abort', abort, { once: true })
  if (stopped.aborted) abort()
  try {
    await deliver(delivery.signal)
  } catch (error) {
    if (stopped.aborted) throw new Error('the server stopped')
    throw delivery.signal.aborted ? new Error(`no response within ${milliseconds / 1000} s`) : error
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', abort)
  }
}
