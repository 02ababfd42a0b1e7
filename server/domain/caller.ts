import type { Log } from '../telemetry/audit.js'
import type { Client } from './passwords/hash-pool.js'

/** The sender of a request, as far as the rules need to know. */
export interface Caller extends Client {
  /** IP address, by which failed logins are counted. */
  address: string
  /** Log of this request: its lines carry the request's id. */
  log: Log
}
