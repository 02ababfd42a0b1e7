import type { CodePurpose } from '../../../server/domain/codes/code.js'
import type { Interval } from './linearize.js'

/** An access token as a client knows it. */
export interface Token {
  jwt: string
  /** Its `jti`. */
  id: string
  sessionId: string | undefined
  /** When the client got it, or when it was issued if that is earlier. */
  knownAt: number
}

/** A refresh token as a client knows it. */
export interface RefreshToken {
  value: string
  sessionId: string
  refreshes: number
}

/** A code from a mail. */
export interface MailedCode {
  value: string
  /** The id of the message that sent it. */
  id: string
  purpose: CodePurpose | 'login_code'
  /** The digits in the mail of a login. */
  digits?: string
}

/** The input of a request or a command. Its fields depend on the operation. */
export interface Input {
  password?: string
  newPassword?: string
  tenant?: string
  /** Idempotency-Key. */
  key?: string
  name?: string | null
  token?: Token
  refreshToken?: RefreshToken
  code?: Omit<MailedCode, 'value'> & { value?: string }
  /** Whether to send the digits instead of the code. */
  hasDigits?: boolean
  /** Whether to send the verifier of another client. */
  isElsewhere?: boolean
  /** Whether a login signs up an address without an account. */
  mayCreate?: boolean
}

/** What a successful response says about the account. */
export interface Result {
  userId?: string
  token?: Token
  refreshToken?: RefreshToken
  name?: string | null
  isVerified?: boolean
  /** Names. */
  tenants?: string[]
  sessions?: string[]
  /** The id of a started login. */
  login?: string
  isNewUser?: boolean
}

/** An operation on one account, as a client or an operator saw it. Its times are milliseconds of performance.now(). */
export interface Operation extends Interval {
  name: string
  email: string
  /** The server that got the request, or `operator`. */
  at: string
  input: Input
  /** Undefined if it is unknown whether it succeeded. A text is the code of the error. */
  outcome?: Result | string | undefined
}

const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())

export const tokenOf = (jwt: string): Token => {
  const { jti: id, sid: sessionId, iat } = part(jwt, 1)
  // A login that is repeated returns a token that was issued before.
  const issuedAt = iat * 1_000 - performance.timeOrigin
  return { jwt, id, sessionId, knownAt: Math.min(performance.now(), issuedAt) }
}

export const refreshTokenOf = (value: string): RefreshToken => {
  const [sessionId = '', refreshes] = value.split('.')
  return { value, sessionId, refreshes: Number(refreshes) }
}

const short = (id: string | undefined) => id?.slice(-6)

/** Returns an operation as a line of text. */
export function describeOperation({ name, at, input, outcome, ...times }: Operation) {
  const { token, refreshToken, code, ...given } = input
  const result = typeof outcome === 'object' ? outcome : undefined
  const seen = {
    ...given,
    ...(token && { token: short(token.id), session: short(token.sessionId) }),
    ...(refreshToken && { refresh: `${short(refreshToken.sessionId)}.${refreshToken.refreshes}` }),
    ...(code && { code: short(code.id) }),
  }
  const got = result
    ? {
        ...result,
        userId: short(result.userId),
        token: short(result.token?.id),
        refreshToken: result.refreshToken?.refreshes,
        sessions: result.sessions?.map(short),
        login: short(result.login),
      }
    : (outcome ?? 'unknown')
  const interval = `${times.call.toFixed(1)} to ${times.return.toFixed(1)}`
  return `${interval} ${at} ${name} ${JSON.stringify(seen)} -> ${JSON.stringify(got)}`
}
