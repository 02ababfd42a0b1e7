/** Digests shorter than this are refused: others' passwords might match them. */
const leastDigestBytes = 16
const mostBytes = 128

/** Bytes in base64, padded or not; `.` stands for `+` as passlib writes it, `-` and `_` as in URLs. */
function bytesOf(text: string) {
  const digits = text.replace(/={1,2}$/, '')
  if (!/^[\w+/.-]*$/.test(digits) || digits.length % 4 === 1) return undefined
  const bytes = Buffer.from(digits.replaceAll('.', '+'), 'base64')
  return bytes.length <= mostBytes ? bytes : undefined
}

/** A salt or key of 1 to 128 bytes in base64; nothing where it is none. */
export function saltOf(text: string) {
  const bytes = bytesOf(text)
  return bytes?.length ? bytes : undefined
}

/** A digest of 16 to 128 bytes in base64; nothing where it is none. */
export function digestOf(text: string) {
  const bytes = bytesOf(text)
  return bytes && bytes.length >= leastDigestBytes ? bytes : undefined
}

/** Base64 without padding, as PHC strings have it. */
export const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** So many bytes of zero: the salt or digest of a dummy hash. */
export const zeros = (bytes: number) => unpadded(Buffer.alloc(bytes))

/** Bytes of salt of every dummy hash; its length makes no difference to the cost. */
export const dummySaltBytes = 16
