import { Problem } from '../domain/problem.js'

/** Returns the token of an `Authorization: Bearer …` header (RFC 6750 §2.1). @throws {Problem} `token_missing` */
export function bearerToken(authorization: string | undefined): string {
  const token = authorization?.match(/^Bearer +(.+)$/i)?.[1]
  if (!token) throw new Problem('token_missing')
  return token.trimEnd()
}
