import { type ClientOptions, endpoints, keyOf } from './client.js'
import type { UsherError } from './errors.js'
import { createOperations } from './operation.js'
import { assertOptions, type OptionChecks } from './options.js'
import type { OperationOptions } from './request.js'
import type { Session } from './schemas.js'
import type { AskSecondFactor } from './second-factor.js'
import { createLogin } from './token.js'
import { claimsOf } from './token-claims.js'
import { createTokenHolder, onStorage, storeCheck, type TokenStore } from './token-holder.js'

/** Options of a client that stays logged in. */
export interface SessionClientOptions extends ClientOptions {
  /** Stores the refresh token, under a key for each database. Memory by default. */
  sessionStore?: TokenStore | (() => TokenStore) | undefined
  /**
   * What the list of sessions calls those of this client. At most 255 characters. By default the browser and its system, such as
   * `Firefox on Linux`.
   */
  label?: string | undefined
  /**
   * Asks the user for the second factor: in a login, a password reset, and a change that needs a confirmation. Called again after a
   * wrong code. Without it, these operations return the error `second_factor_required` or `step_up_required`.
   */
  secondFactor?: AskSecondFactor | undefined
}

const checks: OptionChecks = {
  sessionStore: storeCheck,
  label: ['string | undefined', /^\s*\S.{0,254}$/s],
  secondFactor: ['function | undefined'],
}

interface Browser {
  navigator?: {
    /** Not in pages served over plain HTTP. */
    locks?: { request<Result>(name: string, work: () => Promise<Result>): Promise<Result> }
  }
}

const browser = globalThis as Browser

/** Runs one at a time over all tabs, where the platform has Web Locks and the browser does not deny them. */
const withLock = <Result>(name: string, work: () => Promise<Result>) =>
  browser.navigator?.locks?.request(name, work).catch(work) ?? work()

/** Creates the tokens of a session. They hold the access token for operations, which they refresh. */
export function createSessionTokens(options: SessionClientOptions) {
  assertOptions(options, checks)
  const key = keyOf(options)
  const refreshToken = createTokenHolder(`${key}.session`, { tokenStore: options.sessionStore }, () =>
    notify(),
  )
  const { login, holder, notify } = createLogin(key, options, {
    read: refreshToken.read,
    forget,
    get: () => tokens.get(),
  })
  /** The ID of the session to which a token in memory belongs. */
  let sessionId: string | undefined
  /** By the ID of the session, because another tab may store another one. */
  const refreshes = new Map<string | undefined, Promise<UsherError | undefined>>()

  function forget() {
    sessionId = undefined
    return refreshToken.set(undefined)
  }

  function refresh(stale: string | undefined, value: string) {
    const id = sessionIdOf(value)
    const work = () => refreshTokens(tokens, options, stale)
    const refreshing = refreshes.get(id) ?? withLock(key + id, work).finally(() => refreshes.delete(id))
    refreshes.set(id, refreshing)
    return refreshing
  }

  const tokens = {
    login,
    holder,
    refreshToken,
    forget,
    async save({ token, refreshToken: { value } }: Session, startedAt: number) {
      sessionId = sessionIdOf(value)
      // Both without a wait between them, in which the user could log out.
      await Promise.all([refreshToken.set(value), tokens.set(token.jwt, startedAt + token.maxAge * 1000)])
    },
    async get() {
      const token = await holder.get()
      const value = await refreshToken.get()
      if (!value || (token && isFresh(token, holder.read()[1]))) return token
      const error = await refresh(token, value)
      return (await successorOf(tokens, token, value)) ?? error
    },
    /**
     * Stores a token. Without one, forgets the session. Rejects instead of throwing if a listener throws, because the caller
     * then forgets the former session.
     */
    async set(jwt: string | undefined, expiresAtMs = 0) {
      // Both without a wait between them, in which a login could store other tokens.
      await Promise.all([
        jwt || forget(),
        // The last third of its life begins at the expiry that is stored.
        holder.set(jwt, expiresAtMs - (expiresAtMs - Date.now()) / 3),
      ])
    },
    async renew(refused: string | undefined) {
      if (!refused) return false
      const value = await refreshToken.get()
      const error = value ? await refresh(refused, value) : undefined
      const token = await successorOf(tokens, refused, value)
      return error ?? (!!token && token !== refused)
    },
  }

  // Tabs that share a `tokenStore` share the token, too.
  if (!options.tokenStore) followTabs(tokens, () => sessionId)
  return tokens
}

/** Removes a token in memory when another tab has logged out or in. */
function followTabs(
  { holder, refreshToken }: Pick<ReturnType<typeof createSessionTokens>, 'holder' | 'refreshToken'>,
  sessionId: () => string | undefined,
) {
  onStorage(async () => {
    const current = sessionIdOf(await refreshToken.get())
    if (!sessionId() || current === sessionId()) return
    // Also decides over a login that waits here, which was called before the log-out.
    if (!current) holder.startCall()()
    await holder.set(undefined)
  })
}

/** Returns whether a token need not be refreshed. If it seems to last for longer than it can, the clock was set back. */
function isFresh(token: string, refreshAtMs: number) {
  const { iat = 0, exp = Infinity } = claimsOf(token)
  const remainingMs = refreshAtMs - Date.now()
  return remainingMs > 0 && remainingMs <= (exp - iat) * 1000
}

/** Returns the current token, unless another user has logged in since a call read these tokens. */
async function successorOf(
  { holder, refreshToken }: Pick<ReturnType<typeof createSessionTokens>, 'holder' | 'refreshToken'>,
  former: string | undefined,
  value: string | undefined,
) {
  const token = await holder.get()
  const isSameUser =
    former && token
      ? claimsOf(former).sub === claimsOf(token).sub
      : sessionIdOf(value) === sessionIdOf(refreshToken.read()[0])
  return isSameUser ? token : undefined
}

/** Refreshes the token unless another one has replaced it. Returns the error, unless the session has ended. */
async function refreshTokens(
  { holder, refreshToken, save, set, forget }: ReturnType<typeof createSessionTokens>,
  options: OperationOptions,
  stale: string | undefined,
): Promise<UsherError | undefined> {
  // Another tab may have replaced it meanwhile.
  const value = await refreshToken.get()
  if (value && (await holder.get()) === stale) {
    const startedAt = Date.now()
    const { data, error } = await operationsWith(options).refreshSession({ refreshToken: value })
    const current = await refreshToken.get()
    // Such as by the token of a changed password, which has ended the session.
    const isReplaced = (holder.read()[0] || undefined) !== stale
    // Otherwise the user has logged out or in meanwhile. Without Web Locks, two tabs get the same refresh token.
    if (data && (current === value || current === data.refreshToken.value))
      await (isReplaced ? refreshToken.set(data.refreshToken.value) : save(data, startedAt))
    else if (error && current === value) {
      if (error.code !== 'session_ended') return isReplaced ? undefined : error
      await (isReplaced ? forget() : set(undefined))
    }
  }
}

/**
 * Returns operations that store no token, because the user may log out or in meanwhile. A session is opened again without a
 * response: if the first request has opened it, the second one is only refused.
 */
export const operationsWith = (options: OperationOptions, jwt?: string) =>
  createOperations({ ...endpoints, openSession: { ...endpoints.openSession, isRepeatable: true } }, options, {
    set() {},
    get: () => jwt,
  })

/** Returns the ID of the session of a refresh token, which is `id.number.mac`. */
export const sessionIdOf = (refreshToken: string | undefined) => refreshToken?.split('.')[0]
