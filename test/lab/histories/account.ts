import type { CodePurpose } from '../../../server/domain/codes/code.js'
import type { Input, Result } from './operation.js'

/** A session that has not ended. */
interface SessionState {
  refreshes: number
  /** Between these times the last refresh token was replaced. */
  replaced: readonly [number, number]
}

/** The state of one account: only what is valid now. A revocation empties lists, so no time is compared. */
export interface Account {
  /** Undefined if there is no user; empty if nobody knows it yet. */
  userId: string | undefined
  password: string
  name: string | null
  isVerified: boolean
  isDisabled: boolean
  /** Names, sorted. */
  tenants: readonly string[]
  /** Idempotency-Key and tenant of its sign-up. */
  signUp: string
  /** Tokens that are not revoked, sorted by id. */
  tokens: readonly string[]
  /** Tokens that have opened a session, sorted by id. */
  opened: readonly string[]
  /** By id. */
  sessions: Readonly<Record<string, SessionState>>
  /** Purposes and ids of messages whose code can still become valid, sorted. */
  waiting: readonly string[]
  codes: Partial<Record<CodePurpose, string>>
}

export const none: Account = {
  userId: undefined,
  password: '',
  name: null,
  isVerified: false,
  isDisabled: false,
  tenants: [],
  signUp: '',
  tokens: [],
  opened: [],
  sessions: {},
  waiting: [],
  codes: {},
}

export const plus = (items: readonly string[], item: string | undefined) =>
  item === undefined || items.includes(item) ? items : [...items, item].sort()
export const minus = (items: readonly string[], item: string) => items.filter((each) => each !== item)

const isActive = (account: Account) => account.userId !== undefined && !account.isDisabled

export const isLive = (account: Account, { token }: Input) =>
  isActive(account) &&
  account.tokens.includes(token?.id ?? '') &&
  (token?.sessionId === undefined || token.sessionId in account.sessions)

export const isPassword = (account: Account, { password }: Input) =>
  isActive(account) && account.password === password

export const isCode = (account: Account, { code }: Input) =>
  isActive(account) && code !== undefined && account.codes[code.purpose] === code.id

/** Returns the session of a refresh token, if it has not ended. */
export const sessionOf = (account: Account, { refreshToken }: Input) =>
  isActive(account) ? account.sessions[refreshToken?.sessionId ?? ''] : undefined

/** Ends a session, and with it the token from which it was opened. */
export function endSession(account: Account, { refreshToken }: Input): Account {
  const { sessionId = '' } = refreshToken ?? {}
  if (!(sessionId in account.sessions)) return account
  const { [sessionId]: _, ...sessions } = account.sessions
  return { ...account, sessions, tokens: minus(account.tokens, sessionId) }
}

/** Forgets the code of a purpose, and the messages that would send one. */
export function withoutCode(account: Account, purpose: CodePurpose): Account {
  const { [purpose]: _, ...codes } = account.codes
  return { ...account, codes, waiting: account.waiting.filter((each) => !each.startsWith(purpose)) }
}

/** Revokes all tokens, sessions, and codes that could replace the password. */
export const revoke = (account: Account): Account => ({
  ...withoutCode(account, 'password_reset'),
  tokens: [],
  sessions: {},
})

/** Returns the account after a response that names its user and has a token. */
export function signedIn(account: Account, { userId, token }: Result): Account | undefined {
  if (userId && account.userId && userId !== account.userId) return undefined
  return { ...account, userId: userId ?? account.userId, tokens: plus(account.tokens, token?.id) }
}
