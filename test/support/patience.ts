import { vi } from 'vitest'

/** The least time that a wait may take. `expect.poll` has the same in vitest.config.ts. */
const patience = 10_000
const { waitFor } = vi

// For busy machines: the default is one second.
vi.waitFor = (callback, options = {}) => {
  const { timeout = 0, ...more } = typeof options === 'number' ? { timeout: options } : options
  return waitFor(callback, { ...more, timeout: Math.max(timeout, patience) })
}
