/** Shorter digests are rejected, because wrong passwords might match them. */
const minDigestBytes = 16
const maxBytes = 128

/** Decodes base64 with or without padding. Accepts `.` for `+`, as passlib writes it, and `-` and `_`, as in URLs. */
function bytesOf(text: string) {
  const digits = text.replace(/={1,2}$/, '')
  if (!/^[\w+/.-]*$/.test(digits) || digits.length % 4 === 1) return undefined
  const bytes = Buffer.from(digits.replaceAll('.', '+'), 'base64')
  return bytes.length <= maxBytes ? bytes : undefined
}

export function saltOf(text: string) {
  const bytes = bytesOf(text)
  return bytes?.length ? bytes : undefined
}

export function digestOf(text: string) {
  const bytes = bytesOf(text)
  return bytes && bytes.length >= minDigestBytes ? bytes : undefined
}

export const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Encodes bytes of zero, which are the salt and the digest of a dummy hash. */
export const zeros = (bytes: number) => unpadded(Buffer.alloc(bytes))

/** Salt length of every dummy hash. It does not affect the cost. */
export const dummySaltBytes = 16
