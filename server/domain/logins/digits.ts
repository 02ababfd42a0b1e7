/** Returns the six digits of a MAC. */
export function digitsOf(mac: string) {
  const number = Buffer.from(mac, 'base64url').readUIntBE(0, 6) % 1_000_000
  return String(number).padStart(6, '0')
}
