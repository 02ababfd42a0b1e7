import { isEqual, type Secrets } from '../keys/database-secrets.js'

// An unfinished login is not stored. `state` contains it, signed: `payload.mac`. Nonce and PKCE verifier are MACs of its id with
// the same secret, so every server knows them, and nobody who reads the state.

/** A login that has started at a provider. */
export interface LoginState {
  id: string
  connection: string
  redirectUrl: string
  /** SHA-256 of the verifier, which only the client that started the login has. */
  challenge: string
  /** In milliseconds since the epoch. */
  expiresAt: number
}

/** What only the server and the provider know of a login. */
export interface LoginSecrets {
  nonce: string
  pkceVerifier: string
}

export type StartedAtProvider = LoginState & LoginSecrets

/** Returns the state of a login. */
export function signState({ sign }: Pick<Secrets, 'sign'>, state: LoginState) {
  const payload = Buffer.from(JSON.stringify(state)).toString('base64url')
  return `${payload}.${sign('login_state', payload)}`
}

/** Returns the login of a state with its secrets, even if it has expired. Returns undefined if the database has not signed it. */
export function readState(
  { signAll }: Pick<Secrets, 'signAll'>,
  text: string,
): StartedAtProvider | undefined {
  const [payload = '', mac = '', ...rest] = text.split('.')
  const number = signAll('login_state', payload).findIndex((expected) => isEqual(mac, expected))
  if (number < 0 || rest.length > 0) return undefined
  const state: LoginState = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const secretOf = (purpose: 'login_nonce' | 'login_pkce') => signAll(purpose, state.id)[number] ?? ''
  return { ...state, nonce: secretOf('login_nonce'), pkceVerifier: secretOf('login_pkce') }
}
