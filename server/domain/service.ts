import type { Config } from '../config.js'
import type { Store } from '../store/store.js'
import { createDatabaseLookup } from './databases.js'
import { createHashing, type Hashing } from './hashing.js'
import { createThrottle, type Throttle } from './throttle.js'

/** What the rules of the domain work with; one for each process. */
export interface Service {
  store: Store
  hashing: Hashing
  throttle: Throttle
  findDatabase: ReturnType<typeof createDatabaseLookup>
  /** The clock, in milliseconds since the epoch. */
  now: () => number
}

/** The service over an open store; the first hash (the decoy's) is made on the way. */
export async function createService(
  config: Config,
  store: Store,
  now: Service['now'] = Date.now,
): Promise<Service> {
  return {
    store,
    hashing: await createHashing(config.hashing),
    throttle: createThrottle(store, now),
    findDatabase: createDatabaseLookup(store, config),
    now,
  }
}
