/** Returns whether a token was issued by a database. It is not verified. */
export function isIssuedBy({ issuer }: { issuer: string }, jwt: string) {
  const [, payload = '', mac] = jwt.split('.')
  if (mac === undefined) return false
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).iss === issuer
  } catch {
    return false
  }
}
