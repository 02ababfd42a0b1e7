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
    const code = random.recent(known.codes.filter((each) => each.purpose === purpose))
    known.newCodes = known.newCodes.filter((each) => each !== code)
    return code && { code }
  }

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
