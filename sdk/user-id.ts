/** Returns the ID of a token's user, its claim `sub`. Undefined if the token cannot be read. */
export function userIdOf(token: string): unknown {
  try {
    const claims = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? ''
    return JSON.parse(atob(claims)).sub
  } catch {
    return undefined
  }
}
