import { canonicalEmail } from '@usher/contract'

/** Returns the form under which an email address is unique. Throws if the contract should have rejected it. */
export function requireCanonicalEmail(email: string) {
  const canonical = canonicalEmail(email)
  if (canonical === undefined) throw new Error('an invalid email address passed the contract')
  return canonical
}
