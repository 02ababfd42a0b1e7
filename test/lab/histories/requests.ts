import {
  aFinish,
  aSignUp,
  both,
  type Choose,
  challenge,
  otherVerifier,
  verifier,
  withCode,
  withNewPassword,
  withPassword,
  withRefreshToken,
  withToken,
} from './known.js'
import { type Input, type Result, refreshTokenOf, tokenOf } from './operation.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a client sends. */
export interface Request {
  method: Method
  url: string
  headers: Record<string, string>
  payload?: object
}

/** An operation of the contract. */
interface ClientOperation {
  /** Relative frequency. */
  weight: number
  choose: Choose
  method: Method
  /** Below that of the users. */
  url: string | ((input: Input) => string)
  payload?: (input: Input, email: string) => object
  /** What the response of a success contains. */
  result?: (body: Body) => Result
}

interface Body {
  id: string
  token: { jwt: string }
  refreshToken?: { value: string }
  preferredName: string | null
  emailVerified: boolean
  memberships: { name: string }[]
  sessions: { id: string }[]
  login: string
  isNewUser: boolean
}

const signedIn = ({ id, token, refreshToken }: Body): Result => ({
  userId: id,
  token: tokenOf(token.jwt),
  ...(refreshToken && { refreshToken: refreshTokenOf(refreshToken.value) }),
})
const user = ({ id, preferredName, emailVerified, memberships }: Body): Result => ({
  userId: id,
  name: preferredName,
  isVerified: emailVerified,
  tenants: memberships.map(({ name }) => name),
})

const refreshToken = (input: Input) => ({ refreshToken: input.refreshToken?.value })
const code = ({ code, newPassword }: Input) => ({ code: code?.value, newPassword })

export const clientOperations: Record<string, ClientOperation> = {
  signUp: {
    ...{ weight: 5, choose: aSignUp, method: 'POST', url: '', result: signedIn },
    payload: ({ password, tenant: newTenant }, email) => ({
      email,
      password,
      ...(newTenant && { newTenant }),
    }),
  },
  login: {
    ...{ weight: 12, choose: withPassword, method: 'POST', url: '/login', result: signedIn },
    payload: ({ password }, email) => ({ email, password }),
  },
  me: { weight: 14, choose: withToken, method: 'GET', url: '/me', result: user },
  updateMe: {
    ...{ weight: 4, method: 'PATCH', url: '/me' },
    choose: both(withToken, (_known, _random, unique) => ({ name: `name ${unique()}` })),
    payload: ({ name }) => ({ preferredName: name }),
  },
  openSession: { weight: 10, choose: withToken, method: 'POST', url: '/me/session', result: signedIn },
  refresh: {
    ...{ weight: 12, choose: withRefreshToken, method: 'POST', url: '/session/refresh', result: signedIn },
    payload: refreshToken,
  },
  listSessions: {
    ...{ weight: 4, choose: withToken, method: 'GET', url: '/me/sessions' },
    result: ({ sessions }) => ({ sessions: sessions.map(({ id }) => id) }),
  },
  endSession: {
    ...{ weight: 2, choose: withRefreshToken, method: 'POST', url: '/session/end', payload: refreshToken },
  },
  endSessionById: {
    ...{ weight: 1, choose: both(withToken, withRefreshToken), method: 'DELETE' },
    url: ({ refreshToken }) => `/me/sessions/${refreshToken?.sessionId}`,
  },
  endOtherSessions: { weight: 1, choose: withToken, method: 'DELETE', url: '/me/sessions/others' },
  endAllSessions: { weight: 2, choose: withToken, method: 'DELETE', url: '/me/sessions' },
  changePassword: {
    ...{ weight: 4, method: 'PUT', url: '/me/password', result: signedIn },
    choose: both(withToken, withPassword, withNewPassword),
    payload: ({ password, newPassword }) => ({ password, newPassword }),
  },
  requestReset: {
    ...{ weight: 6, choose: () => ({}), method: 'POST', url: '/password-reset' },
    payload: (_input, email) => ({ email }),
  },
  requestVerification: {
    ...{ weight: 5, choose: withToken, method: 'POST', url: '/me/email-verification' },
    payload: () => ({}),
  },
  reset: {
    ...{ weight: 5, method: 'POST', url: '/password-reset/confirm', payload: code, result: signedIn },
    choose: both(withCode('password_reset'), withNewPassword),
  },
  verify: {
    ...{ weight: 5, method: 'POST', url: '/email-verification', payload: code },
    choose: withCode('email_verification'),
  },
  requestLoginCode: {
    ...{ weight: 6, choose: () => ({}), method: 'POST', url: '/login/code' },
    payload: (_input, email) => ({ email, challenge }),
    result: ({ login }) => ({ login }),
  },
  finishLogin: {
    ...{ weight: 8, choose: both(withCode('login_code'), aFinish), method: 'POST', url: '/login/finish' },
    payload: ({ code, hasDigits, isElsewhere, mayCreate, tenant: newTenant }) => ({
      ...(hasDigits ? { login: code?.id, digits: code?.digits } : { code: code?.value }),
      verifier: isElsewhere ? otherVerifier : verifier,
      mayCreate,
      newTenant,
    }),
    result: (body) => ({ ...signedIn(body), isNewUser: body.isNewUser }),
  },
  deleteMe: {
    ...{ weight: 0.5, choose: both(withToken, withPassword), method: 'POST', url: '/me/deletion' },
    payload: ({ password }) => ({ password }),
  },
}

const users = '/workspaces/acme/databases/app/users'

/** Returns a request as a server gets it. Each comes from another address, so that the throttle lets it through. */
export function requestOf(name: string, input: Input, email: string, number: number): Request {
  const { method, url, payload } = clientOperations[name] as ClientOperation
  const headers = {
    ...(payload && { 'content-type': 'application/json' }),
    'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    ...(input.token && { authorization: `Bearer ${input.token.jwt}` }),
    ...(input.key && { 'idempotency-key': input.key }),
  }
  const path = typeof url === 'string' ? url : url(input)
  return { method, url: users + path, headers, ...(payload && { payload: payload(input, email) }) }
}
