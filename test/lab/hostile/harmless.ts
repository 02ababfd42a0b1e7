import { problems } from '@usher/contract'
import { expect } from 'vitest'
import { expectDocumented, pathOf, type RawResponse } from '../../support/documented.js'
import type { World } from './requests.js'
import { mark } from './values.js'

/** What an answer may never hold: a password that was sent, a hash, or the insides of the server. */
const secret = new RegExp(
  `${mark('password')}|\\$argon2|node_modules|[\\w-]+\\.[jt]s:\\d+|prisma|usher\\."`,
  'i',
)
const jwt = /eyJ[\w-]{8,}\.[\w-]+/

/**
 * Fails unless an answer is one that the request may get: documented, no 5xx, and without a secret that was sent.
 *
 * @param bearer the request's Authorization: `me` answers 200 to a token of the database alone
 */
export function expectHarmless(method: string, url: string, answer: RawResponse, world: World, bearer = '') {
  expect(answer.statusCode, answer.body).toBeLessThan(500)
  const path = pathOf(url)
  if (path === '/' || path.startsWith('/docs')) return expectReference(answer)
  if (method === 'OPTIONS') return expect([204, 404], answer.body).toContain(answer.statusCode)
  expectDocumented(method, url, answer)
  if (path === '/openapi.json') return
  const text = JSON.stringify(answer.headers) + answer.body
  expect(text).not.toMatch(secret)
  const isSignedIn = answer.statusCode < 300 && method === 'POST'
  if (!isSignedIn) expect(text.replaceAll(url, '')).not.toMatch(jwt)
  if (path.endsWith('/users/me') && answer.statusCode === 200) {
    const token = bearer.replace(/^bearer +/i, '')
    const issued = world.tokens.find((each) => each.jwt === token)
    expect(
      issued &&
        path.startsWith(`/workspaces/${issued.path.workspaceSlug}/databases/${issued.path.databaseName}/`),
    ).toBe(true)
  }
}

/** Fails unless an answer, to bytes that may be no request at all, is a success or a problem of the catalogue. */
export function expectAnswered(answer: RawResponse) {
  expect(answer.statusCode, answer.body).toBeLessThan(500)
  if (answer.statusCode >= 400) expectReference(answer)
  const isPage = /html|css|javascript|yaml/.test(String(answer.headers['content-type']))
  if (!isPage && !answer.body.startsWith('{"openapi"')) expect(JSON.stringify(answer)).not.toMatch(secret)
}

/** The reference page and its assets are not of the document; their refusals are problems all the same. */
function expectReference({ statusCode, headers, body }: RawResponse) {
  if (statusCode < 400 || body === '') return
  expect(String(headers['content-type'])).toMatch(/^application\/problem\+json/)
  const { code } = JSON.parse(body)
  expect(problems[code as keyof typeof problems]?.status).toBe(statusCode)
}

const own = Object.getOwnPropertyNames(Object.prototype).sort()

/** Fails if the server, which runs in this process, has let a request reach the prototype of all objects. */
export const expectCleanPrototype = () =>
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(own)
