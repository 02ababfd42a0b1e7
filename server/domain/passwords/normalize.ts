/** Returns the form in which passwords are measured and hashed, so that it does not depend on the keyboard. */
export const canonicalPassword = (password: string) => password.normalize('NFKC')
