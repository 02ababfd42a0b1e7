import type { Host } from '../io/host.js'

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
   * @throws {Problem} `cancelled`; `login_missing`; `server_unreachable`
   */
  confirm(): Promise<string>
}

/**
 * Opens the session of this user on a server.
 *
 * @param url of the server. Only its origin counts
 * @throws {Problem} `login_missing` with what to do; `usage_error` for a URL that is neither https nor http on this machine
 */
export declare function openRemoteSession(url: string, host: Host): Promise<RemoteSession>
