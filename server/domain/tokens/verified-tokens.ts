import { LRUCache } from 'lru-cache'
import type { UserKey } from '../../store/queries/users-of-tokens.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { Proven } from './authentication.js'

/** The claims of a verified token, with the key and database that verified it. */
export interface VerifiedToken {
  jwt: string
  kid: string
  /** What to read for the token: its user, and its session. For the token of a login, the session that it may open. */
  key: UserKey
  /** The session that the token belongs to. Undefined for the token of a login. */
  sessionId: string | undefined
  /** The `jti`. */
  id: string
  /** The generation of the user when the user was read for the token. */
  generation: number
  /** In seconds since the epoch, like `expiresAt`. */
  issuedAt: number
  expiresAt: number
  /** How and when the user has proven to be that user: `amr` and `auth_time`. */
  proven: Proven
  /** Whether single sign-on of a tenant has opened the session: `aud` says it. */
  isTenantOnly: boolean
}

/** Verified tokens of all databases. Rejected tokens are never in it. */
export class VerifiedTokens {
  // By the signature, because hashing the whole token would take most of the time. `get` compares the whole token.
  readonly #bySignature = new LRUCache<string, VerifiedToken>({
    maxSize: maxBytes,
    sizeCalculation: ({ jwt }) => entryBytes + jwt.length,
  })

  get(jwt: string) {
    const known = this.#bySignature.get(signatureOf(jwt))
    return known?.jwt === jwt ? known : undefined
  }

  add(token: VerifiedToken) {
    this.#bySignature.set(signatureOf(token.jwt), token)
  }

  get size() {
    return this.#bySignature.size
  }

  get calculatedSize() {
    return this.#bySignature.calculatedSize
  }
}

const signatureOf = (jwt: string) => jwt.slice(jwt.lastIndexOf('.') + 1)

const maxBytes = 16 * 2 ** 20

/** Size of an entry without its token: 451 bytes were measured, and at most 516 with a session. */
const entryBytes = 520

const windowMilliseconds = 60_000
const maxLines = 10

/** Audits rejected tokens: at most 10 lines a minute, because anyone can send any number of them. */
export type RejectedTokens = (log: Log, databaseId: string, code: string) => void

/** @param now the clock, in milliseconds since the epoch */
export function createRejectedTokens(now: () => number): RejectedTokens {
  let windowStart = now()
  let lines = 0
  let suppressed = 0
  return (log, databaseId, code) => {
    const age = now() - windowStart
    // Negative if the clock was set back.
    if (age >= windowMilliseconds || age < 0) {
      windowStart = now()
      lines = 0
    }
    if (lines === maxLines) {
      suppressed += 1
      return
    }
    lines += 1
    audit(log, 'token.rejected', { databaseId, code, ...(suppressed > 0 && { suppressed }) })
    suppressed = 0
  }
}
