import { setTimeout as pause } from 'node:timers/promises'
import type { Session } from '@usher/contract'
import { vi } from 'vitest'
import type { ServerStore } from '../../server/store/store.js'

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

/** Lets time pass since the last refresh of a session, which the clock of the store measures. */
export const passTimeSinceRefresh = (
  store: Pick<ServerStore, 'query'>,
  databaseId: string,
  { refreshToken }: Pick<Session, 'refreshToken'>,
  milliseconds: number,
) =>
  store.query(
    `UPDATE usher.session SET refreshed_at = refreshed_at - $3::int * interval '1 millisecond'
    WHERE database_id = $1::uuid AND id = $2::uuid`,
    [databaseId, refreshToken.value.slice(0, 36), milliseconds],
  )
