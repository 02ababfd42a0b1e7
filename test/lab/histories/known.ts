import { newVerifier } from '../../support/login-mail.js'
import type { Input, MailedCode, RefreshToken, Token } from './operation.js'
import type { Random } from './random.js'

/** What all clients of an account know. The latest entry of a list is the last. */
export interface Known {
  email: string
  /** All passwords that are, were or may be set. */
  passwords: string[]
  tokens: Token[]
  refreshTokens: RefreshToken[]
  codes: MailedCode[]
  /** The codes that no client has used. */
  newCodes: MailedCode[]
  /** The ids of logins by mail that were started. */
  logins: Set<string>
  /** The last sign-up with an Idempotency-Key. */
  signUp: Input | undefined
}

export const newAccount = (email: string): Known => ({
  email,
  passwords: [],
  tokens: [],
  refreshTokens: [],
  codes: [],
  newCodes: [],
  logins: new Set(),
  signUp: undefined,
})

/** Chooses the input of an operation. Returns undefined if the clients do not know what it needs. */
export type Choose = (known: Known, random: Random, unique: () => string) => Input | undefined

export const withToken: Choose = ({ tokens }, random) => {
  const token = random.recent(tokens)
  return token && { token }
}

/** Mostly chooses one of the last two tokens, because an older one ends its session. */
export const withRefreshToken: Choose = ({ refreshTokens }, random) => {
  const refreshToken = random.chance(0.1)
    ? random.recent(refreshTokens)
    : random.pick(refreshTokens.slice(-2))
  return refreshToken && { refreshToken }
}

export const withCode =
  (purpose: MailedCode['purpose']): Choose =>
  (known, random) => {
    // The mail of a login may arrive without the response to its request.
    const isKnown = ({ id }: MailedCode) => purpose !== 'login_code' || known.logins.has(id)
    const code = random.recent(known.codes.filter((each) => each.purpose === purpose && isKnown(each)))
    known.newCodes = known.newCodes.filter((each) => each !== code)
    return code && { code }
  }

/** All logins by mail have one verifier, so that every client can finish them. */
export const { verifier, challenge } = newVerifier()
export const { verifier: otherVerifier } = newVerifier()

/** Chooses how to finish a login by mail. */
export const aFinish: Choose = (_known, random, unique) => ({
  hasDigits: random.chance(0.5),
  isElsewhere: random.chance(0.1),
  mayCreate: random.chance(0.8),
  ...(random.chance(0.4) && { tenant: `tenant ${unique()}` }),
})

export const withPassword: Choose = ({ passwords }, random) => ({
  password: random.recent(passwords) ?? 'no password at all',
})

export const withNewPassword: Choose = (_known, _random, unique) => ({ newPassword: `password ${unique()}` })

/** Chooses several inputs. */
export const both =
  (...choices: Choose[]): Choose =>
  (...known) => {
    const inputs = choices.map((choose) => choose(...known))
    return inputs.includes(undefined) ? undefined : Object.assign({}, ...inputs)
  }

/** Chooses a sign-up, often one that was sent before. */
export const aSignUp: Choose = (known, random, unique) => {
  if (known.signUp && random.chance(0.4)) return known.signUp
  const input: Input = { password: `password ${unique()}` }
  if (random.chance(0.4)) input.tenant = `tenant ${unique()}`
  if (random.chance(0.4)) return input
  known.signUp = { ...input, key: `key ${unique()}` }
  return known.signUp
}
