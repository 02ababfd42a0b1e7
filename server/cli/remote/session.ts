import { type Session, sessions } from '@usher/contract'
import { Problem } from '../../domain/problem.js'
import type { Host } from '../io/host.js'
import { confirmOn } from './confirm.js'
import { originOf, sendTo } from './request.js'
import { readSessions, type Sessions, type StoredSession, withSessions } from './session-file.js'

/** The session of an operator on a server, which `usher login` has opened. */
export interface RemoteSession {
  /** Origin of the server, such as `https://usher.example.com`. */
  readonly origin: string
  readonly operator: { readonly email: string }
  /**
   * Returns a valid access token. Refreshes it if necessary.
   *
   * @param rejected a token that the server has rejected, and that another one must replace
   * @throws {Problem} `login_missing` if the session has ended; `server_unreachable`
   */
  token(rejected?: string): Promise<string>
  /**
   * Asks the operator for the second factor, on the terminal or in the browser.
   *
   * @returns the value of the header `Usher-Confirmation`, which is valid for 10 minutes with the tokens of this session
   * @throws {Problem} `cancelled`; `second_factor_invalid`; `too_many_attempts`; those of `token`
   */
  confirm(): Promise<string>
}

/**
 * Opens the session of this user on a server.
 *
 * @param url of the server. Only its origin counts
 * @throws {Problem} `login_missing` with what to do; `usage_error` for a URL that is neither https nor http on this machine;
 * `sessions_unusable`
 */
export async function openRemoteSession(url: string, host: Host): Promise<RemoteSession> {
  const origin = originOf(url)
  const opened = requireSession(readSessions(), origin)
  const { workspace, database, email } = opened
  const id = idOf(opened)
  const find = (all: Sessions) => requireSession(all, origin, id)
  const isUsable = ({ token, refreshAt }: StoredSession, rejected?: string) =>
    token !== rejected && Date.now() < refreshAt

  async function token(rejected?: string) {
    // Each time, because another command may have refreshed or ended it.
    const stored = find(readSessions())
    if (isUsable(stored, rejected)) return stored.token
    return withSessions(async (all, store) => {
      const current = find(all)
      if (isUsable(current, rejected)) return current.token
      const startedAt = Date.now()
      const refreshed = await refresh(origin, current)
      const { [origin]: _, ...others } = all
      store(refreshed ? { ...others, [origin]: { ...current, ...storedOf(refreshed, startedAt) } } : others)
      if (!refreshed) throw loginMissing(origin)
      return refreshed.token.jwt
    })
  }
  return {
    origin,
    operator: { email },
    token,
    confirm: async () =>
      confirmOn(host, { origin, params: pathOf({ workspace, database }), token: await token() }),
  }
}

/** Returns what is stored of an opened or refreshed session. @param startedAt before the request was sent */
export const storedOf = ({ token, refreshToken }: Session, startedAt: number) => ({
  token: token.jwt,
  refreshToken: refreshToken.value,
  // In the last third of its life.
  refreshAt: startedAt + (token.maxAge * 1000 * 2) / 3,
})

/** Ends a session on its server. */
export const endSession = (origin: string, session: StoredSession) =>
  sendTo(origin, sessions.endSession, {
    params: pathOf(session),
    body: { refreshToken: session.refreshToken },
  })

const pathOf = ({ workspace, database }: Pick<StoredSession, 'workspace' | 'database'>) => ({
  workspaceSlug: workspace,
  databaseName: database,
})

/** Returns the next tokens, or undefined if the session has ended. */
async function refresh(origin: string, session: StoredSession) {
  const body = { refreshToken: session.refreshToken }
  try {
    return await sendTo(origin, sessions.refreshSession, { params: pathOf(session), body })
  } catch (error) {
    if (error instanceof Problem && error.code === 'session_ended') return undefined
    throw error
  }
}

/** Returns the ID of a session. A refresh token is `id.number.mac`. */
const idOf = ({ refreshToken }: StoredSession) => refreshToken.split('.')[0]

/** @param id that the session must have. Another operator may have logged in meanwhile @throws {Problem} `login_missing` */
function requireSession(all: Sessions, origin: string, id?: string) {
  const found = all[origin]
  if (!found || (id && idOf(found) !== id)) throw loginMissing(origin)
  return found
}

/** Returns the problem of an operator who is not logged in to a server. */
export const loginMissing = (origin: string) =>
  new Problem('login_missing', {
    detail: `not logged in to ${origin}. Run: npx @usher/server login ${origin}`,
  })
