import type { Secrets } from '../keys/database-secrets.js'
import { signedValue, verifySignedValue } from '../keys/signed-text.js'

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
export const signState = (secrets: Pick<Secrets, 'sign'>, state: LoginState) =>
  signedValue(secrets, 'login_state', state)

/** Returns the login of a state with its secrets, even if it has expired. Returns undefined if the database has not signed it. */
export function readState(secrets: Pick<Secrets, 'signAll'>, text: string): StartedAtProvider | undefined {
  const signed = verifySignedValue<LoginState>(secrets, 'login_state', text)
  if (!signed) return undefined
  const { value, place } = signed
  const secretOf = (purpose: 'login_nonce' | 'login_pkce') => secrets.signAll(purpose, value.id)[place] ?? ''
  return { ...value, nonce: secretOf('login_nonce'), pkceVerifier: secretOf('login_pkce') }
}
