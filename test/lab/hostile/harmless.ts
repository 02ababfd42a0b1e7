import { type ProblemCode, problems } from '@usher/contract'
import { expect } from 'vitest'
import { expectDocumented, pathOf, type RawResponse } from '../../support/documented.js'
import type { Account, World } from './requests.js'
import { mark } from './values.js'

/** No response may contain a password of a request, a hash or internals of the server. */
const secret = new RegExp(
  `${mark('password')}|\\$argon2|node_modules|[\\w-]+\\.[jt]s:\\d+|prisma|usher\\."`,
  'i',
)
const jwt = /eyJ[\w-]{8,}\.[\w-]+/

/**
 * Fails unless the response is documented, has no 5xx status and contains no secret. An account operation may accept
 * only credentials of its database.
 */
export function expectHarmless(sent: Sent, response: RawResponse, world: World) {
  const { method, url } = sent
  expect(response.statusCode, response.body).toBeLessThan(500)
  const path = pathOf(url)
  if (path === '/' || /^(\/management)?\/docs/.test(path)) return expectReference(response)
  if (method === 'OPTIONS') return expect([204, 404], response.body).toContain(response.statusCode)
  expectDocumented(method, url, response)
  if (/^(\/management)?\/openapi(-3\.0)?\.json$/.test(path)) return
  const text = JSON.stringify(response.headers) + response.body
  expect(text).not.toMatch(secret)
  const isSignedIn = response.statusCode < 300 && ['POST', 'PUT'].includes(method)
  // A challenge of the bot check is signed text, which anyone gets.
  const others = text.replaceAll(url, '').replace(/"challenge":"[\w.-]+","bits"/, '')
  if (!isSignedIn) expect(others).not.toMatch(jwt)
  const needed = response.statusCode < 300 && credentials.find(([target]) => target.test(path))
  if (!needed) return
  const [target, usedIn, issuedTo] = needed
  const isOwn = (account: Account) =>
    path.replace(target, '') ===
      `/workspaces/${account.path.workspaceSlug}/databases/${account.path.databaseName}` &&
    issuedTo(account).includes(usedIn(sent))
  expect(world.accounts.some(isOwn), 'a credential of the database').toBe(true)
}

interface Sent {
  method: string
  url: string
  /** The Authorization header. */
  bearer: string | undefined
  body: Buffer | undefined
}

const inHeader = ({ bearer = '' }: Sent) => bearer.replace(/^bearer +/i, '')
const inBody =
  (name: string) =>
  ({ body }: Sent) =>
    JSON.parse(new TextDecoder().decode(body))[name]

/** By the ends of paths: the credential that a request uses, and those of an account that its operation accepts. */
const credentials: [RegExp, (sent: Sent) => string, (account: Account) => string[]][] = [
  [/\/users\/me(\/[\w-]+)?$/, inHeader, ({ tokens }) => tokens],
  [/\/users\/session\/refresh$/, inBody('refreshToken'), ({ refreshToken }) => [refreshToken]],
  [/\/users\/password-reset\/confirm$/, inBody('code'), ({ codes }) => [codes.resetPassword]],
  [/\/users\/email-verification$/, inBody('code'), ({ codes }) => [codes.verifyEmail]],
  [/\/users\/email-change\/\w+$/, inBody('code'), () => []],
]

/** Fails unless the response, to bytes that may not be HTTP, is a success or a documented problem. */
export function expectSuccessOrProblem(response: RawResponse) {
  expect(response.statusCode, response.body).toBeLessThan(500)
  if (response.statusCode >= 400) expectReference(response)
  const isPage = /html|css|javascript|yaml/.test(String(response.headers['content-type']))
  if (!isPage && !response.body.startsWith('{"openapi"')) expect(JSON.stringify(response)).not.toMatch(secret)
}

/** The reference page and its assets are not in the document, but their errors are problems. */
function expectReference({ statusCode, headers, body }: RawResponse) {
  if (statusCode < 400 || body === '') return
  expect(String(headers['content-type'])).toMatch(/^application\/problem\+json/)
  const { code } = JSON.parse(body)
  expect(problems[code as ProblemCode]?.status).toBe(statusCode)
}

const own = Object.getOwnPropertyNames(Object.prototype).sort()

/** Fails if a request has changed Object.prototype of this process, in which the server runs. */
export const expectCleanPrototype = () =>
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(own)
