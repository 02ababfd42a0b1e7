import type { CodePurpose } from '../../../server/domain/codes/code.js'
import type { Input, MailedCode, Operation, Result, Token } from './operation.js'

/** A session that has not ended. */
interface SessionState {
  /** The number of the newest refresh token. */
  refreshes: number
  /** The number of the refresh token that was used last, if it can be repeated. */
  usedLast?: number | undefined
  /** The refresh tokens up to this number cannot be used, except the one that was used last. */
  superseded: number
  /** The newest refresh token was issued between these times. */
  issued: readonly [number, number]
}

/** A login by mail that was started. A revocation removes it, unless no account had the address when it was started. */
interface Attempt {
  hasAccount: boolean
  /** What has finished it, and when. */
  finish?: { isNewUser: boolean; at: readonly [number, number] }
}

/**
 * The state of one account. It contains only what is valid now: a revocation empties lists, so no times are compared.
 */
export interface Account {
  /** Undefined if there is no user. Empty if the id is not known yet. */
  userId: string | undefined
  /** Undefined if the user has none. */
  password: string | undefined
  name: string | null
  isVerified: boolean
  isDisabled: boolean
  /** Names, sorted. */
  tenants: readonly string[]
  /** Idempotency-Key and tenant of the sign-up. */
  signUp: string
  /** Tokens that are not revoked, sorted by id. */
  tokens: readonly string[]
  /** Tokens that have opened a session, sorted by id. */
  opened: readonly string[]
  /** By id. */
  sessions: Readonly<Record<string, SessionState>>
  /**
   * When the request that ended a session returned, by session id. Without sessions that a revocation has ended as
   * well.
   */
  ends: Readonly<Record<string, number>>
  /** When the requests returned whose messages can still send a valid code, by purpose and id. */
  waiting: Readonly<Record<string, number>>
  codes: Partial<Record<MailedCode['purpose'], string>>
  /** By id. */
  attempts: Readonly<Record<string, Attempt>>
}

export const none: Account = {
  userId: undefined,
  password: undefined,
  name: null,
  isVerified: false,
  isDisabled: false,
  tenants: [],
  signUp: '',
  tokens: [],
  opened: [],
  sessions: {},
  ends: {},
  waiting: {},
  codes: {},
  attempts: {},
}

export const plus = (items: readonly string[], item: string | undefined) =>
  item === undefined || items.includes(item) ? items : [...items, item].sort()
export const minus = (items: readonly string[], item: string) => items.filter((each) => each !== item)

const isActive = (account: Account) => account.userId !== undefined && !account.isDisabled

/** When the request that ended a token's session returned. It also ends the token with which the session was opened. */
const endOf = (account: Account, token: Token | undefined) =>
  account.ends[token?.sessionId ?? token?.id ?? '']

const isValid = (account: Account, token: Token | undefined) =>
  isActive(account) && account.tokens.includes(token?.id ?? '')

export const isLive = (account: Account, { token }: Input) =>
  isValid(account, token) && endOf(account, token) === undefined

/** Returns whether a token allows a change, also one that was called before the end of its session returned. */
export const admits = (account: Account, { token }: Input, { call }: Pick<Operation, 'call'>) =>
  isValid(account, token) && call < (endOf(account, token) ?? Number.POSITIVE_INFINITY)

export const isPassword = (account: Account, { password }: Input) =>
  isActive(account) && account.password === password

/** Returns whether a change with a token is confirmed. A user without a password has logged in recently. */
export const isConfirmed = (account: Account, input: Input) =>
  account.password === undefined || isPassword(account, input)

export const isCode = (account: Account, { code }: Input) =>
  isActive(account) && code !== undefined && account.codes[code.purpose] === code.id

/** Returns the session of a refresh token, if it has not ended. */
export const sessionOf = (account: Account, { refreshToken }: Input) =>
  isActive(account) ? account.sessions[refreshToken?.sessionId ?? ''] : undefined

/** Ends a session, if it is open. */
export function endSession(account: Account, { refreshToken }: Input, end: number): Account {
  const { sessionId = '' } = refreshToken ?? {}
  if (!(sessionId in account.sessions)) return account
  const { [sessionId]: _, ...sessions } = account.sessions
  return { ...account, sessions, ends: { ...account.ends, [sessionId]: end } }
}

/**
 * Removes the code of a purpose, and the messages that would send one, if they were stored before a change was
 * called.
 */
export function withoutCode(account: Account, purpose: CodePurpose, call: number): Account {
  const { [purpose]: _, ...codes } = account.codes
  const kept = Object.entries(account.waiting).filter(
    ([message, stored]) => !message.startsWith(purpose) || stored > call,
  )
  return { ...account, codes, waiting: Object.fromEntries(kept) }
}

/** Returns the logins that a revocation and a deletion keep. */
const kept = ({ attempts }: Account) =>
  Object.fromEntries(Object.entries(attempts).filter(([, { hasAccount, finish }]) => !hasAccount && !finish))

/** Revokes all tokens, sessions, logins that were started, and codes that could replace the password. */
export const revoke = (account: Account, { call }: Pick<Operation, 'call'>): Account => ({
  ...withoutCode(account, 'password_reset', call),
  tokens: [],
  sessions: {},
  ends: {},
  attempts: kept(account),
})

/** Gives an account whose address was never verified to the person who has received a mail there. */
export const reclaim = (account: Account, operation: Pick<Operation, 'call'>): Account =>
  account.isVerified ? account : { ...revoke(account, operation), password: undefined, isVerified: true }

/** Deletes the user. */
export const removed = (account: Account): Account => ({ ...none, attempts: kept(account) })

/** Returns the account after a response that names its user and has a token. */
export function signedIn(account: Account, { userId, token }: Result): Account | undefined {
  if (userId && account.userId && userId !== account.userId) return undefined
  return { ...account, userId: userId ?? account.userId, tokens: plus(account.tokens, token?.id) }
}
