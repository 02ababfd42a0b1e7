import {
  type Account,
  admits,
  endSession,
  isCode,
  isConfirmed,
  isLive,
  isPassword,
  minus,
  none,
  plus,
  reclaim,
  removed,
  revoke,
  sessionOf,
  signedIn,
  withoutCode,
} from './account.js'
import type { Model } from './linearize.js'
import type { Input, Operation, Result } from './operation.js'

const repeatableMilliseconds = 30_000
/** Tolerance for comparisons between times of the store and of clients. */
const toleranceMilliseconds = 1_000
/** The token of a login can open a session for two minutes. Clocks may differ by half a minute. */
const surelyOpensMilliseconds = 60_000

const isSame = (one: readonly string[] = [], other: readonly string[]) =>
  JSON.stringify([...one].sort()) === JSON.stringify(other)

type Rule = (account: Account, input: Input, result: Result, operation: Operation) => Account | undefined

/** Returns a rule for operations that read with a token. */
const live =
  (rule: Rule): Rule =>
  (account, ...rest) =>
    isLive(account, rest[0]) ? rule(account, ...rest) : undefined

/** Returns a rule for operations that change something with a token. */
const admitted =
  (rule: Rule): Rule =>
  (account, input, result, operation) =>
    admits(account, input, operation) ? rule(account, input, result, operation) : undefined

/** Returns a rule for commands that need a user. */
const existing =
  (rule: Rule): Rule =>
  (account, ...rest) =>
    account.userId === undefined ? undefined : rule(account, ...rest)

const revokeAll: Rule = (account, _input, _result, operation) => revoke(account, operation)

const setPassword: Rule = (account, { newPassword = '' }, result, operation) =>
  signedIn({ ...revoke(account, operation), password: newPassword }, result)

const signUp: Rule = (account, { password = '', tenant, key }, result) => {
  const own = key ? `${key} ${tenant ?? ''}` : ''
  if (account.userId === undefined)
    return signedIn(
      { ...removed(account), userId: '', password, signUp: own, tenants: plus([], tenant) },
      result,
    )
  const isAgain = key && account.signUp === own && isPassword(account, { password })
  return isAgain ? signedIn(account, result) : undefined
}

/** Returns when a login can be repeated: surely, or perhaps. */
const isRepeatable = ({ finish }: Account['attempts'][string], time: number, tolerance: number) =>
  finish === undefined || time - finish.at[tolerance > 0 ? 1 : 0] < repeatableMilliseconds + tolerance

/** Logs in by a mail, reclaims an account that was never verified, or signs the address up. Once, or repeats it. */
const finishLogin: Rule = (account, input, result, operation) => {
  const { code, isElsewhere, tenant, mayCreate } = input
  const { id = '' } = code ?? {}
  const attempt = account.attempts[id]
  const { call, return: end } = operation
  if (!attempt || isElsewhere || !isRepeatable(attempt, call, toleranceMilliseconds)) return undefined
  if (result.token && result.token.id !== id) return undefined
  const isNewUser = attempt.finish?.isNewUser ?? account.userId === undefined
  if (account.isDisabled || (result.isNewUser ?? isNewUser) !== isNewUser) return undefined
  if (attempt.finish) return signedIn(account, result)
  if (isNewUser && !mayCreate) return undefined
  const user: Account = isNewUser
    ? { ...removed(account), userId: '', isVerified: true, tenants: plus([], tenant) }
    : reclaim(account, operation)
  const finished = { ...attempt, finish: { isNewUser, at: [call, end] as const } }
  return signedIn({ ...user, attempts: { ...user.attempts, [id]: finished } }, result)
}

/** Uses a refresh token that nobody has used, or repeats the last one, for half a minute with the same result. */
const refresh: Rule = (account, input, result, { call, return: end }) => {
  const session = sessionOf(account, input)
  const { sessionId = '', refreshes: used = 0 } = input.refreshToken ?? {}
  if (!session || !isUsable(session, used)) return undefined
  const { refreshes, usedLast, issued } = session
  const received = result.refreshToken?.refreshes
  let next: typeof session
  if (used === usedLast) {
    const isSurelySame = end - issued[0] < repeatableMilliseconds - toleranceMilliseconds
    const isSurelyOther = call - issued[1] >= repeatableMilliseconds + toleranceMilliseconds
    const isSame = received === refreshes
    if (received !== undefined && (isSame ? isSurelyOther : isSurelySame || received < refreshes))
      return undefined
    const isUnknown = received === undefined && !isSurelySame
    next = isUnknown ? { ...session, issued: [issued[0], end] } : session
    if (received !== undefined && !isSame) next = { ...session, refreshes: received, issued: [call, end] }
  } else {
    const superseded = Math.max(refreshes, used)
    if (received !== undefined && received <= superseded) return undefined
    const newest = received ?? (used === refreshes ? used + 1 : refreshes + 2)
    // Another number than the next one says that the used one had an equal, and cannot be repeated.
    next = {
      refreshes: newest,
      usedLast: newest === used + 1 ? used : undefined,
      superseded,
      issued: [call, end],
    }
  }
  return signedIn({ ...account, sessions: { ...account.sessions, [sessionId]: next } }, result)
}

/** Rejects a refresh token. If it cannot be used any more, ends its session, because the token was stolen. */
const refuseRefresh: Rule = (account, input, _result, operation) => {
  const session = sessionOf(account, input)
  if (!session) return account
  return isUsable(session, input.refreshToken?.refreshes ?? 0)
    ? undefined
    : endSession(account, input, operation.return)
}

const isUsable = ({ usedLast, superseded }: Account['sessions'][string], used: number) =>
  used === usedLast || used > superseded

const end: Rule = (account, input, _result, operation) => endSession(account, input, operation.return)

/** Returns the state after a success of each operation, or undefined if it cannot succeed. */
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
  updateMe: admitted((account, { name = null }) => ({ ...account, name })),
  openSession: admitted((account, { token }, result, { call }) => {
    if (!token || token.sessionId || account.opened.includes(token.id)) return undefined
    const sessions = {
      ...account.sessions,
      [token.id]: { refreshes: 0, superseded: -1, issued: [call, call] as const },
    }
    return signedIn({ ...account, sessions, opened: plus(account.opened, token.id) }, result)
  }),
  refresh,
  listSessions: live((account, _input, { sessions }) =>
    isSame(sessions, Object.keys(account.sessions).sort()) ? account : undefined,
  ),
  endSession: end,
  endSessionById: admitted(end),
  endOtherSessions: admitted((account, { token }, _result, operation) => {
    const id = token?.sessionId ?? token?.id ?? ''
    const session = account.sessions[id]
    return session && { ...revoke(account, operation), sessions: { [id]: session } }
  }),
  endAllSessions: admitted(revokeAll),
  changePassword: admitted((account, input, ...rest) =>
    isConfirmed(account, input) ? setPassword(account, input, ...rest) : undefined,
  ),
  requestReset: (account) => account,
  requestVerification: admitted((account) => account),
  requestLoginCode: (account, _input, { login = '' }) => ({
    ...account,
    attempts: { ...account.attempts, [login]: { hasAccount: account.userId !== undefined } },
  }),
  finishLogin,
  // The message of a request may be stored a little later than its user was found.
  stored: (account, { code }, _result, operation) =>
    code && account.userId !== undefined
      ? { ...account, waiting: { ...account.waiting, [`${code.purpose} ${code.id}`]: operation.return } }
      : account,
  // The mail arrives. Its code has replaced the previous one at some time since the request.
  mail: (account, { code }) => {
    const { [`${code?.purpose} ${code?.id}`]: stored, ...waiting } = account.waiting
    if (!code || account.isDisabled || stored === undefined) return undefined
    return { ...account, codes: { ...account.codes, [code.purpose]: code.id }, waiting }
  },
  verify: (account, input, _result, { call }) =>
    isCode(account, input)
      ? { ...withoutCode(account, 'email_verification', call), isVerified: true }
      : undefined,
  reset: (account, input, ...rest) =>
    isCode(account, input) ? setPassword({ ...account, isVerified: true }, input, ...rest) : undefined,
  deleteMe: admitted((account, input) => (isConfirmed(account, input) ? removed(account) : undefined)),
  disable: existing((account, _input, _result, operation) => ({
    ...revoke(account, operation),
    isDisabled: true,
  })),
  enable: existing((account) => ({ ...account, isDisabled: false })),
  revokeTokens: existing(revokeAll),
  setPassword: existing(setPassword),
  sendReset: existing((account) => (account.isDisabled ? undefined : account)),
  // It finds the user first, so another operation may delete the user meanwhile.
  deleteUser: removed,
  join: existing((account, { tenant }) => ({ ...account, tenants: plus(account.tenants, tenant) })),
  leave: (account, { tenant = '' }) =>
    account.tenants.includes(tenant) ? { ...account, tenants: minus(account.tenants, tenant) } : undefined,
}

/** Returns whether a login must succeed. Digits can be tried by three requests at the same time only. */
function canFinish({ attempts }: Account, { code, isElsewhere, hasDigits }: Input, operation: Operation) {
  const attempt = attempts[code?.id ?? '']
  return (
    attempt !== undefined &&
    !isElsewhere &&
    !hasDigits &&
    isRepeatable(attempt, operation.return, -toleranceMilliseconds)
  )
}

/** Returns whether the password of an operation may be wrong. */
const isWrong = (account: Account, input: Input) =>
  !isPassword(account, input) && !(isLive(account, input) && account.password === undefined)

/** Returns whether an operation may be rejected, by reason. */
const refusals: Record<string, (account: Account, input: Input, operation: Operation) => boolean> = {
  token_invalid: (account, input) => !isLive(account, input),
  invalid_credentials: isWrong,
  // The password that confirms a change.
  validation_failed: isWrong,
  email_taken: ({ userId }) => userId !== undefined,
  // Which user had the key, and whether the password is that user's, are read one after the other.
  idempotency_key_reused: (_account, { key }) => key !== undefined,
  session_not_opened: ({ opened }, { token }, operation) =>
    token?.sessionId !== undefined ||
    opened.includes(token?.id ?? '') ||
    operation.return - (token?.knownAt ?? 0) > surelyOpensMilliseconds,
  session_required: ({ sessions }, { token }) =>
    token?.sessionId === undefined && !((token?.id ?? '') in sessions),
  code_invalid: (account, input, operation) =>
    input.code?.purpose === 'login_code' ? !canFinish(account, input, operation) : !isCode(account, input),
  login_refused: ({ isDisabled }) => isDisabled,
  account_missing: ({ userId }, { mayCreate }) => userId === undefined && !mayCreate,
  not_found: ({ userId }) => userId === undefined,
  not_a_member: ({ tenants }, { tenant = '' }) => !tenants.includes(tenant),
  disabled: ({ isDisabled }) => isDisabled,
}

/** The model of an account, which all operations on it must agree with. */
export const accountModel: Model<Account, Operation> = {
  initial: none,
  step(account, operation) {
    const { name, input, outcome } = operation
    if (outcome === 'session_ended') return refuseRefresh(account, input, {}, operation)
    if (typeof outcome === 'string')
      return refusals[outcome]?.(account, input, operation) ? account : undefined
    return rules[name]?.(account, input, outcome ?? {}, operation)
  },
  keyOf({ sessions, ends, codes, waiting, attempts, ...account }) {
    const sorted = [sessions, ends, codes, waiting, attempts].map((items) =>
      Object.entries(items).sort(byKey),
    )
    return JSON.stringify({ ...account, sorted })
  },
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

const reads = ['me', 'listSessions', 'requestReset', 'requestVerification', 'sendReset']

/** Returns whether an operation changes nothing, whatever the state. */
export const isRead = ({ name, outcome }: Pick<Operation, 'name' | 'outcome'>) =>
  reads.includes(name) || (typeof outcome === 'string' && outcome !== 'session_ended')
