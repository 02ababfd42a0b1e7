/** Returns a password in Unicode NFKC, for its length and its hash, so that they do not depend on the keyboard. */
export const canonicalPassword = (password: string) => password.normalize('NFKC')
