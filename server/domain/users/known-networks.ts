import { rememberNetwork } from '../../store/queries/networks.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import { wasSeen } from '../throttle/rules.js'

const dayMilliseconds = 24 * 3_600_000

/**
 * Records the network of a successful login, at most once a day. A failure is only logged.
 */
export async function rememberLogin(
  { store, now }: AppContext,
  { id: databaseId }: { id: string },
  { id: userId }: { id: string },
  network: Uint8Array,
  networkKnownAt: Date | null,
  caller: Caller,
) {
  if (wasSeen(networkKnownAt, now(), dayMilliseconds)) return
  try {
    await rememberNetwork(store, databaseId, userId, network, new Date(now()))
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId }, 'network of a login not noted')
  }
}
