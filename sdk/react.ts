'use client'

import { useSyncExternalStore } from 'react'
import type { Client } from './client.js'
import type { MeErrorCode } from './endpoints.js'
import type { UsherError } from './errors.js'
import type { User } from './schemas.js'
import type { LoginState } from './token.js'
import { claimsOf } from './token-claims.js'

export { type ExternalLoginState, useExternalLogin } from './use-external-login.js'
export { type LoginByMailState, useLoginByMail } from './use-login-by-mail.js'
export { type PasskeyLoginState, usePasskeyLogin } from './use-passkeys.js'
export { useSecondFactor } from './use-second-factor.js'

/** What `useUser` needs of a client. */
export type UserClient = Pick<Client, 'me' | 'state' | 'subscribe' | 'token'>

/** The user of a client, as a component shows it. */
export interface UserState {
  /** The user who is logged in. Undefined until it is loaded, and unless `state` is `signedIn`. */
  readonly user: User | undefined
  /** The `state` of the client. `unknown` also on a server and during hydration. */
  readonly state: LoginState
  /** Why the user could not be loaded. Undefined after a success, and if `state` is `signedOut`. */
  readonly error: UsherError<MeErrorCode> | undefined
  /** Loads the user again, such as after `updateMe` or an error. Never changes between renders. */
  readonly refresh: () => Promise<void>
}

/**
 * Returns the user of a client, and renders the component again when the user or the state changes, in this tab or
 * another one. It calls `me` once for all components, unless the user is logged out. It calls `me` again when another
 * user has logged in, but not when only the token changes.
 *
 * @example
 * ```tsx
 * const { user, state, error, refresh } = useUser(usher)
 * if (state === 'signedOut') return <LogIn />
 * if (user) return <Account user={user} />
 * return error ? <button onClick={refresh}>{error.title}. Try again</button> : <p>Loading</p>
 * ```
 */
export function useUser(usher: UserClient): UserState {
  let store = stores.get(usher)
  if (!store) {
    store = createStore(usher)
    stores.set(usher, store)
  }
  return useSyncExternalStore(...store)
}

/** All components share the user of a client. */
const stores = new WeakMap<UserClient, ReturnType<typeof createStore>>()

/** Returns the arguments of `useSyncExternalStore`. */
function createStore(usher: UserClient) {
  const listeners = new Set<() => void>()
  let user: User | undefined
  let error: UserState['error']
  /** The latest call of `me`, until it has ended. */
  let latest: ReturnType<UserClient['me']> | undefined
  let unsubscribe: () => void

  const initial: UserState = { user, state: 'unknown', error, refresh }
  let snapshot = initial

  function read() {
    const { state, token } = usher
    if (state === 'signedOut') user = error = undefined
    const next = { user: user && token && isOf(user, token) ? user : undefined, state, error, refresh }
    const isSame = next.user === snapshot.user && state === snapshot.state && error === snapshot.error
    if (!isSame) snapshot = next
    return snapshot
  }

  async function refresh() {
    const { token } = usher
    const current = usher.me()
    latest = current
    const result = await current.catch((cause) => {
      // A listener has thrown. The next login still loads the user.
      if (latest === current) latest = undefined
      throw cause
    })
    // A later call has replaced it.
    if (latest !== current) return
    latest = undefined
    user = result.data ?? user
    error = result.error
    // A user has logged in meanwhile.
    if (token !== usher.token) load()
    emit()
  }

  /** Loads the user unless it is known or being loaded. */
  function load() {
    const { user, state } = read()
    if (user || state === 'signedOut' || latest) return
    // Of another user, or of an attempt before this one.
    error = undefined
    refresh()
  }

  function emit() {
    for (const listener of listeners) listener()
  }

  function subscribe(listener: () => void) {
    if (!listeners.size) {
      unsubscribe = usher.subscribe(() => {
        load()
        emit()
      })
      load()
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (!listeners.size) unsubscribe()
    }
  }

  return [subscribe, read, () => initial] as const
}

/** Returns whether the token is the user's. True if the token cannot be read. */
const isOf = ({ id }: User, token: string) => (claimsOf(token).sub ?? id) === id
