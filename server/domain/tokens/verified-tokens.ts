import { LRUCache } from 'lru-cache'

/** The claims of a verified token, with the key and database that verified it. */
export interface VerifiedToken {
  databaseId: string
  kid: string
  userId: string
  /** The session that the token belongs to; a token of a login belongs to none. */
  sessionId: string | undefined
  /** The `jti`. */
  id: string
  /** That of the user when the user was read. Undefined in a token of the version before. */
  generation: number | undefined
  /** In seconds since the epoch, like `expiresAt`. */
  issuedAt: number
  /** It is the token of a login that has opened no session and can open none. */
  isWithoutSession: boolean
  expiresAt: number
}

/**
 * Verified tokens of all databases, by the whole token: a signature does not identify the payload. Rejected tokens
 * are never in it.
 */
export type VerifiedTokens = LRUCache<string, VerifiedToken>

const maxBytes = 16 * 2 ** 20

/** Size of an entry without its token: 309 bytes were measured, and 56 more with a session. */
const entryBytes = 420

export const createVerifiedTokens = (): VerifiedTokens =>
  new LRUCache({ maxSize: maxBytes, sizeCalculation: (_verified, jwt) => entryBytes + jwt.length })
