import type { Call } from '../../run/host.js'
import type { Host } from './host.js'

export type { Call }

/** What commands get. */
export interface Cli {
  host: Host
  /** Sends a request to the server that the command is for, or runs it in this process if there is none. */
  call: Call
  /** Whether operators can log in. */
  hasConsole: () => Promise<boolean>
}
