/** Returns claims of a token. They are undefined if the token cannot be read. */
export function claimsOf(token: string): {
  sub?: string
  iat?: number
  exp?: number
  account?: boolean
} {
  try {
    const claims = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? ''
    return JSON.parse(atob(claims))
  } catch {
    return {}
  }
}
