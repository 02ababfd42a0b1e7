import type { Config } from '../config.js'
import type { Store } from '../store/store.js'
import { createDatabaseLookup } from './databases/find-database.js'
import { createHasher, type Hasher } from './passwords/hasher.js'
import { createThrottle, type Throttle } from './throttle/login-throttle.js'

/** What the rules of the domain work with; one for each process. */
export interface AppContext {
  store: Store
  hashing: Hasher
  throttle: Throttle
  findDatabase: ReturnType<typeof createDatabaseLookup>
  /** The clock, in milliseconds since the epoch. */
  now: () => number
  /** It serves, but is about to end, so nothing new should be sent to it. */
  isEnding: boolean
}

/** The service over an open store. Its threads are ended by `hashing.close()`. */
export function createContext(config: Config, store: Store, now: AppContext['now'] = Date.now): AppContext {
  return {
    store,
    hashing: createHasher(config.hashing),
    throttle: createThrottle(store, now, config.workers),
    findDatabase: createDatabaseLookup(store, config),
    now,
    isEnding: false,
  }
}
