import { handOver } from './popup.js'
import type { Result } from './result.js'
import {
  type Browser,
  codeIn,
  type createStartedLogins,
  failed,
  removeFromAddress,
  startedElsewhere,
} from './started-logins.js'

/**
 * With which `error.code` a login returns from a provider. `access_denied`: the person has cancelled. No request was sent, and the
 * status is 400.
 */
export type ReturnErrorCode =
  | 'access_denied'
  | 'code_invalid'
  | 'connection_not_found'
  | 'provider_invalid'
  | 'provider_unavailable'
  | 'too_many_attempts'

/**
 * `started_elsewhere`: this browser has not started the login. `finished_elsewhere`: this is a popup, and the page that has opened it
 * goes on.
 */
export type ElsewhereErrorCode = 'started_elsewhere' | 'finished_elsewhere'

/** A login that has returned to this browser. */
interface Returned {
  login: string
  code: string
  verifier: string
  /** The mails that were requested to prove its address, the latest first. */
  mails: string[]
}

const browser = globalThis as unknown as Browser

/** Finishes the logins that return to this page. */
export function createReturnedLogins(started: ReturnType<typeof createStartedLogins>) {
  /** The logins whose popups this page has opened. */
  const popups = new Set<string>()
  /** The latest link, unless it was refused. */
  let latest: { text: string; result: Promise<unknown> } | undefined
  /** The login that was refused last. */
  let refused: Returned | undefined

  /** Returns the login of a link, or its error. */
  async function receive(text: string): Promise<Result<Returned, ReturnErrorCode | ElsewhereErrorCode>> {
    const code = codeIn(text)
    const [, error, login = code.slice(0, 36)] = returnedError.exec(text) ?? []
    const found = (await started.list()).find((each) => each.login === login)
    if (found?.way === 'popup' && !popups.has(login) && (await handOver(login, text)))
      return failed('finished_elsewhere', 'The login goes on elsewhere', 'Close this window.')
    if (error) return failedReturn(error as ReturnErrorCode)
    const { verifier } = found ?? {}
    return verifier ? { data: { login, code, verifier, mails: [] }, error: undefined } : startedElsewhere()
  }

  /** Finishes the login of a link. Undefined if no login has returned. */
  function follow<Data, Code extends string>(
    link: string | undefined,
    send: (login: Returned) => Promise<Result<Data, Code>>,
  ): Promise<Result<Data, Code | ReturnErrorCode | ElsewhereErrorCode>> | undefined {
    const text = link ?? browser.location?.hash ?? ''
    const [returned] = returnedError.exec(text) ?? [codeIn(text)]
    if (!returned && !refused) return undefined
    removeFromAddress(returned)
    const run = async (): Promise<Result<Data, Code | ReturnErrorCode | ElsewhereErrorCode>> => {
      const { data: login, error } = refused && !returned ? { data: refused } : await receive(text)
      if (!login) return { data: undefined, error }
      const result = await send(login)
      if (result.error) latest = undefined
      else await started.remove([login])
      refused = result.error && login
      return result
    }
    if (!returned || latest?.text !== returned) latest = { text: returned, result: run() }
    return latest.result as ReturnType<typeof run>
  }

  return { popups, follow, lastRefused: () => refused }
}

/** What follows `#` after a failed login. */
const returnedError = /\berror=(\w+)&login=([\da-f-]{36})/

/** Returns the result of a login that has returned with an error. */
export const failedReturn = <Code extends ReturnErrorCode>(code: Code) =>
  failed(
    code,
    code === 'access_denied' ? 'The login was cancelled' : 'The login at the provider has failed',
    'Log in again, or in another way.',
  )
