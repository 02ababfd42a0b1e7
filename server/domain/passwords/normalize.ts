import { normalized } from '@usher/contract'

/** Code points of the longest password. */
export const longestPassword = 256

/**
 * Returns a password in Unicode NFKC, for its length and its hash, so that they do not depend on the keyboard. Returns a password
 * unchanged that is too long in any form.
 */
export const canonicalPassword = (password: string) => normalized(password, 'NFKC', longestPassword)
