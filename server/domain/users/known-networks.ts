import { rememberNetwork } from '../../store/queries/networks.js'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { wasSeen } from '../throttle/rules.js'

const dayMilliseconds = 24 * 3_600_000

/**
 * Records the network of a successful login, at most once a day. A failure is only logged.
 */
export async function rememberLogin(
  { store, now }: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { userId, network, networkKnownAt }: { userId: string; network: Uint8Array; networkKnownAt: Date | null },
) {
  const databaseId = database.id
  if (wasSeen(networkKnownAt, now(), dayMilliseconds)) return
  try {
    await rememberNetwork(store, { databaseId, userId, network }, new Date(now()))
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId }, 'network of a login not noted')
  }
}
