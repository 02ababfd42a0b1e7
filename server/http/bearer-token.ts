import { Problem } from '../domain/problem.js'

/** Returns the token of an `Authorization: Bearer …` header (RFC 6750 §2.1). @throws {Problem} `token_missing` */
export function bearerToken(authorization: string | undefined): string {
  const token = optionalBearerToken(authorization)
  if (!token) throw new Problem('token_missing')
  return token
}

/** Returns the token of an `Authorization: Bearer …` header, or undefined if the request has none. */
export const optionalBearerToken = (authorization: string | undefined) =>
  authorization?.match(/^Bearer +(.+)$/i)?.[1]?.trimEnd()
