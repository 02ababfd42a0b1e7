/** The form in which passwords are measured and hashed, so that one typed elsewhere is the same password. */
export const canonicalPassword = (password: string) => password.normalize('NFKC')
