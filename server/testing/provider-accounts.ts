import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { challengeOf } from '../domain/keys/signed-text.js'

/** A person with an account at the provider of a test. */
export interface TestPerson {
  /** What the page of the provider lists. */
  name: string
  /** Address of the account. Without it, the provider returns none. */
  email?: string | undefined
  /** Whether the provider has verified the address. True by default. */
  emailVerified?: boolean | undefined
  /** What else its tokens say, such as `{ hd: 'example.com' }`. */
  claims?: Record<string, unknown> | undefined
}

/** What a provider knows of the server that leads people to it. */
export interface ProviderClient {
  clientId: string
  /** Name of the provider on its page. */
  title: string
  /** Returns whether a redirect URI is one of the client. */
  accepts(redirectUri: string): boolean
}

/** How a login returns to the server. */
export interface Return {
  redirectUri: string
  parameters: Record<string, string>
  /** Whether the browser posts them (OAuth 2.0 Form Post Response Mode). */
  isPosted: boolean
}

export type Account = Record<string, unknown> & { sub: string; name: string }

/** What an issued code is exchanged for. */
interface Grant {
  account: Account
  redirectUri: string | null
  nonce: string | null
  /** The PKCE challenge (RFC 7636). */
  challenge: string | null
}

/** A directory at Microsoft, of which all people are members. */
const directory = '72f988bf-86f1-41af-91ab-2d7cd011db47'

/** Returns what the provider says about a person. `oid`, `tid` and `xms_edov` are Microsoft's. */
function accountOf({ name, email, emailVerified = true, claims }: TestPerson, index: number): Account {
  const sub = String(index + 1)
  const address = { email, email_verified: emailVerified, xms_edov: emailVerified }
  return { sub, oid: sub, tid: directory, name, ...(email !== undefined && address), ...claims }
}

const newToken = () => randomBytes(32).toString('base64url')

/** The accounts, codes and tokens of a provider. */
export function createAccounts(people: readonly TestPerson[], client: ProviderClient) {
  const accounts = people.map(accountOf)
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, Account>()
  return {
    /** Returns the account of a person by name or address. */
    find: (hint: string | null) =>
      accounts[people.findIndex(({ name, email }) => hint !== null && (name === hint || email === hint))],
    byToken: ({ headers }: IncomingMessage) =>
      tokens.get(headers.authorization?.replace(/^Bearer /i, '') ?? ''),
    /** Returns how a person returns with a code. */
    logIn(account: Account, query: URLSearchParams): Return {
      const code = newToken()
      codes.set(code, {
        account,
        redirectUri: query.get('redirect_uri'),
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge'),
      })
      // Apple returns the name only here.
      const [firstName, ...others] = account.name.split(' ')
      const user = JSON.stringify({ name: { firstName, lastName: others.join(' ') || undefined } })
      return returned(query, { code, ...(query.get('response_mode') === 'form_post' && { user }) })
    },
    /** Uses a code up. Returns its grant with an access token, or undefined if the client may not have it. */
    exchange(form: URLSearchParams) {
      const code = form.get('code') ?? ''
      const grant = codes.get(code)
      codes.delete(code)
      const isOfClient =
        form.get('client_id') === client.clientId && form.get('redirect_uri') === grant?.redirectUri
      if (!grant || !isOfClient || !isProven(grant, form.get('code_verifier') ?? '')) return undefined
      const token = newToken()
      tokens.set(token, grant.account)
      return { ...grant, token }
    },
  }
}

const isProven = ({ challenge }: Grant, verifier: string) =>
  challenge === null || challenge === challengeOf(verifier)

/** Returns how a login returns to the server. */
export const returned = (query: URLSearchParams, parameters: Record<string, string>): Return => ({
  redirectUri: query.get('redirect_uri') ?? '',
  parameters: { ...parameters, state: query.get('state') ?? '' },
  isPosted: query.get('response_mode') === 'form_post',
})
