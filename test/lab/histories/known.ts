import type { Input, MailedCode, RefreshToken, Token } from './operation.js'
import type { Random } from './random.js'

/** What the clients of an account know together. Lists end with the latest. */
export interface Known {
  email: string
  /** All that are or were set, or may be. */
  passwords: string[]
  tokens: Token[]
  refreshTokens: RefreshToken[]
  codes: MailedCode[]
  /** Those of them that nobody has used. */
  newCodes: MailedCode[]
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
  signUp: undefined,
})

/** Chooses the input of an operation. Returns undefined if nothing is known that it needs. */
export type Choose = (known: Known, random: Random, unique: () => string) => Input | undefined

export const withToken: Choose = ({ tokens }, random) => {
  const token = random.recent(tokens)
  return token && { token }
}

/** An older token than the previous one ends its session, so that most choices are of the last two. */
export const withRefreshToken: Choose = ({ refreshTokens }, random) => {
  const refreshToken = random.chance(0.1)
    ? random.recent(refreshTokens)
    : random.pick(refreshTokens.slice(-2))
  return refreshToken && { refreshToken }
}

export const withCode =
  (purpose: MailedCode['purpose']): Choose =>
  (known, random) => {
    const code = random.recent(known.codes.filter((each) => each.purpose === purpose))
    known.newCodes = known.newCodes.filter((each) => each !== code)
    return code && { code }
  }

export const withPassword: Choose = ({ passwords }, random) => ({
  password: random.recent(passwords) ?? 'no password at all',
})

export const withNewPassword: Choose = (_known, _random, unique) => ({ newPassword: `password ${unique()}` })

/** Returns a choice of several inputs together. */
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
