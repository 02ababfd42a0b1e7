import { createHash } from 'node:crypto'

/** Returns the challenge of a verifier, by the method `S256` (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
