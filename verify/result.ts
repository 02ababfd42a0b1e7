import { errors } from 'jose'
import { VerifyError } from './errors.js'

/** Either `data` or `error` is set, the other one is undefined. */
export type Result<Data> = { data: Data; error: undefined } | { data: undefined; error: VerifyError }

/** Returns the result of a function for a token, or for the value of an `Authorization` header. Never rejects. */
export async function toResult<Data>(
  input: unknown,
  use: (token: string) => Promise<Data>,
): Promise<Result<Data>> {
  try {
    return { data: await use(readToken(input)), error: undefined }
  } catch (cause) {
    if (cause instanceof VerifyError) return { data: undefined, error: cause }
    const code = cause instanceof errors.JWTExpired ? 'token_expired' : 'token_invalid'
    return { data: undefined, error: new VerifyError(code, { cause }) }
  }
}

/** Returns the token of a header (RFC 6750 §2.1), or a token without its header. */
function readToken(input: unknown): string {
  if (input === undefined || input === null) throw new VerifyError('token_missing')
  if (typeof input !== 'string') throw new VerifyError('token_invalid')
  const token = /^bearer( |$)/i.test(input) ? input.slice(7).trim() : input
  // Neither a token nor a Bearer token: another scheme, or nothing.
  if (token === '' || (token === input && input.includes(' '))) throw new VerifyError('token_missing')
  // The encoding of RFC 7515 exactly: no padding, no line breaks.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new VerifyError('token_invalid')
  return token
}
