import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const form = /^usso_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[\w-]{43}$/

/** Returns a new random token of a portal: `usso_`, the id, `_` and 256 bits. */
export const newPortalToken = (id: string) =>
  `usso_${id.replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`

/** Returns whether a bearer token has the form of that of a portal. That of a user has dots. */
export const isPortalToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith('usso_') === true

/** Returns the id of the portal of a token. Undefined if it is not a token. */
export const portalOfToken = (token: string) => form.exec(token)?.slice(1).join('-')

/** Returns what is stored of a token. */
export const hashOfPortalToken = (token: string) => Uint8Array.from(hash('sha256', token, 'buffer'))

/** Returns whether a token has a stored hash. */
export const isTokenOf = (token: string, stored: Uint8Array) =>
  timingSafeEqual(hashOfPortalToken(token), stored)
