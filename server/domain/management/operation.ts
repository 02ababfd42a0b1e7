import type { Store } from '../../store/store.js'

/** The store and the time of a change by an operator. */
export interface Operation {
  store: Store
  /** When the change takes place. */
  now: Date
}
