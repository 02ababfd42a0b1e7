import type { Store } from '../../store/store.js'

/** What a change by an operator needs. */
export interface Operation {
  store: Store
  /** When the change takes place. */
  now: Date
}
