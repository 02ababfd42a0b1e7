import {
  type Account,
  endSession,
  isCode,
  isLive,
  isPassword,
  minus,
  none,
  plus,
  revoke,
  sessionOf,
  signedIn,
  withoutCode,
} from './account.js'
import type { Model } from './linearize.js'
import type { Input, Operation, Result } from './operation.js'

const repeatableMilliseconds = 30_000
/** Times of the store and of clients are compared this exactly. */
const toleranceMilliseconds = 1_000
/** A login's token opens a session for two minutes, by clocks half a minute apart. */
const surelyOpensMilliseconds = 60_000

const isSame = (one: readonly string[] = [], other: readonly string[]) =>
  JSON.stringify([...one].sort()) === JSON.stringify(other)

type Rule = (account: Account, input: Input, result: Result, operation: Operation) => Account | undefined

/** Returns a rule for operations that need a token that is not revoked. */
const live =
  (rule: Rule): Rule =>
  (account, ...rest) =>
    isLive(account, rest[0]) ? rule(account, ...rest) : undefined

/** Returns a rule for commands that need a user. */
const existing =
  (rule: Rule): Rule =>
  (account, ...rest) =>
    account.userId === undefined ? undefined : rule(account, ...rest)

const withPassword = (account: Account, { newPassword = '' }: Input): Account => ({
  ...revoke(account),
  password: newPassword,
})

const signUp: Rule = (account, { password = '', tenant, key }, result) => {
  const own = key ? `${key} ${tenant ?? ''}` : ''
  if (account.userId === undefined)
    return signedIn({ ...none, userId: '', password, signUp: own, tenants: plus([], tenant) }, result)
  const isAgain = key && account.signUp === own && isPassword(account, { password })
  return isAgain ? signedIn(account, result) : undefined
}

/** Uses the current refresh token, or the previous one, which may be repeated for half a minute. */
const refresh: Rule = (account, input, result, { call, return: end }) => {
  const session = sessionOf(account, input)
  const { sessionId = '', refreshes = 0 } = input.refreshToken ?? {}
  if (!session) return undefined
  const isCurrent = refreshes === session.refreshes
  const isRepeated = refreshes === session.refreshes - 1
  const isInTime = call - session.replaced[1] < repeatableMilliseconds + toleranceMilliseconds
  if (!isCurrent && !(isRepeated && isInTime)) return undefined
  const next = isCurrent ? { refreshes: refreshes + 1, replaced: [call, end] as const } : session
  if (result.refreshToken && result.refreshToken.refreshes !== next.refreshes) return undefined
  return signedIn({ ...account, sessions: { ...account.sessions, [sessionId]: next } }, result)
}

/** Refuses a refresh token. If it was replaced long ago, its session ends, because somebody has stolen it. */
const refuseRefresh: Rule = (account, input, _result, operation) => {
  const session = sessionOf(account, input)
  const { refreshes = 0 } = input.refreshToken ?? {}
  if (!session) return account
  if (refreshes >= session.refreshes) return undefined
  const isRepeated = refreshes === session.refreshes - 1
  const isInTime = operation.return - session.replaced[0] < repeatableMilliseconds - toleranceMilliseconds
  return isRepeated && isInTime ? undefined : endSession(account, input)
}

/** What each operation does when it succeeds. Undefined if it cannot. */
const rules: Record<string, Rule> = {
  signUp,
  login: (account, input, result) => (isPassword(account, input) ? signedIn(account, result) : undefined),
  me: live((account, _input, { userId, name, isVerified, tenants }) =>
    (userId === account.userId || account.userId === '') &&
    name === account.name &&
    isVerified === account.isVerified &&
    isSame(tenants, account.tenants)
      ? account
      : undefined,
  ),
  updateMe: live((account, { name = null }) => ({ ...account, name })),
  openSession: live((account, { token }, result, { call }) => {
    if (!token || token.sessionId || account.opened.includes(token.id)) return undefined
    const sessions = { ...account.sessions, [token.id]: { refreshes: 0, replaced: [call, call] as const } }
    return signedIn({ ...account, sessions, opened: plus(account.opened, token.id) }, result)
  }),
  refresh,
  listSessions: live((account, _input, { sessions }) =>
    isSame(sessions, Object.keys(account.sessions).sort()) ? account : undefined,
  ),
  endSession,
  endSessionById: live(endSession),
  endAllSessions: live(revoke),
  changePassword: live((account, input, result) =>
    isPassword(account, input) ? signedIn(withPassword(account, input), result) : undefined,
  ),
  requestReset: (account) => account,
  requestVerification: live((account) => account),
  // The message of a request, which may be stored a little later than its user was found.
  stored: (account, { code }) =>
    code && account.userId !== undefined
      ? { ...account, waiting: plus(account.waiting, `${code.purpose} ${code.id}`) }
      : account,
  // The mail arrives: its code has replaced the former one at some time since the request.
  mail: (account, { code }) => {
    const message = `${code?.purpose} ${code?.id}`
    if (!code || account.isDisabled || !account.waiting.includes(message)) return undefined
    const codes = { ...account.codes, [code.purpose]: code.id }
    return { ...account, codes, waiting: minus(account.waiting, message) }
  },
  verify: (account, input) =>
    isCode(account, input) ? { ...withoutCode(account, 'email_verification'), isVerified: true } : undefined,
  reset: (account, input, result) =>
    isCode(account, input)
      ? signedIn({ ...withPassword(account, input), isVerified: true }, result)
      : undefined,
  deleteMe: live((account, input) => (isPassword(account, input) ? none : undefined)),
  disable: existing((account) => ({ ...revoke(account), isDisabled: true })),
  enable: existing((account) => ({ ...account, isDisabled: false })),
  revokeTokens: existing(revoke),
  setPassword: existing(withPassword),
  sendReset: existing((account) => (account.isDisabled ? undefined : account)),
  // It finds the user first: another may delete the user before it does.
  deleteUser: () => none,
  join: existing((account, { tenant }) => ({ ...account, tenants: plus(account.tenants, tenant) })),
  leave: (account, { tenant = '' }) =>
    account.tenants.includes(tenant) ? { ...account, tenants: minus(account.tenants, tenant) } : undefined,
}

/** Whether an operation may be refused, by the reason. */
const refusals: Record<string, (account: Account, input: Input, operation: Operation) => boolean> = {
  token_invalid: (account, input) => !isLive(account, input),
  invalid_credentials: (account, input) => !isPassword(account, input),
  email_taken: ({ userId }) => userId !== undefined,
  // Which user had the key, and whether the password is that user's, are read one after the other.
  idempotency_key_reused: (_account, { key }) => key !== undefined,
  session_not_opened: ({ opened }, { token }, operation) =>
    token?.sessionId !== undefined ||
    opened.includes(token?.id ?? '') ||
    operation.return - (token?.knownAt ?? 0) > surelyOpensMilliseconds,
  code_invalid: (account, input) => !isCode(account, input),
  not_found: ({ userId }) => userId === undefined,
  not_a_member: ({ tenants }, { tenant = '' }) => !tenants.includes(tenant),
  disabled: ({ isDisabled }) => isDisabled,
}

/** The account as all operations on it together must see it. */
export const accountModel: Model<Account, Operation> = {
  initial: none,
  step(account, operation) {
    const { name, input, outcome } = operation
    if (outcome === 'session_ended') return refuseRefresh(account, input, {}, operation)
    if (typeof outcome === 'string')
      return refusals[outcome]?.(account, input, operation) ? account : undefined
    return rules[name]?.(account, input, outcome ?? {}, operation)
  },
  keyOf({ sessions, codes, ...account }) {
    const byId = Object.entries(sessions).sort(([one], [other]) => (one < other ? -1 : 1))
    return JSON.stringify({ ...account, byId, codes: [codes.password_reset, codes.email_verification] })
  },
}

const reads = ['me', 'listSessions', 'requestReset', 'requestVerification', 'sendReset']

/** Returns whether an operation changes nothing, whatever the state. */
export const isRead = ({ name, outcome }: Pick<Operation, 'name' | 'outcome'>) =>
  reads.includes(name) || (typeof outcome === 'string' && outcome !== 'session_ended')
