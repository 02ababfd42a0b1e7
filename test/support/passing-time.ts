import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'

const { setTimeout } = globalThis
const now = performance.now.bind(performance)

/** Advances the clock of the caches of this process until the end of the test. They read it every 100 ms. */
export async function passTimeInCaches(milliseconds: number) {
  const passed = performance.now() - now() + milliseconds
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
  await pause(150)
}

/** Ends timers of this length after 50 ms, until the end of the test. */
export function shortenTimers(milliseconds: number) {
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delay: number, ...values: []) =>
    setTimeout(run, delay === milliseconds ? 50 : delay, ...values)) as typeof setTimeout)
}
