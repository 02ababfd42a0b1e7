import { expect } from 'vitest'
import { it as managementIt } from '../support/management.js'
import { exchange, parseResponses } from './raw-http.js'

/** `it` with a function that sends requests of an API key as they are, on one connection. */
const it = managementIt.extend('sendTargets', async ({ manage, port }) => {
  const { key } = await manage.newKey()
  return async (requests: readonly (readonly [method: string, target: string])[]) => {
    const texts = requests.map(
      ([method, target]) =>
        `${method} ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: 0\r\n\r\n`,
    )
    const responses = parseResponses(await exchange(port, Buffer.from(texts.join(''))))
    return responses.map(({ statusCode, headers, body }) => [
      statusCode,
      headers.allow,
      body && JSON.parse(body).code,
    ])
  }
})

const encoded = (text: string) => `%${text.charCodeAt(0).toString(16)}`

/** Returns the path with one of its characters percent-encoded, for each character, in upper and in lower case. */
const encodedOnce = (path: string) =>
  [...path].flatMap((character, index) => {
    if (index === 0) return []
    const [before, after] = [path.slice(0, index), path.slice(index + 1)]
    const spelling = encoded(character)
    return [...new Set([spelling, spelling.toUpperCase()])].map((each) => before + each + after)
  })

const notFound = [404, undefined, 'route_not_found']

it('reaches the management API by one spelling of its path', async ({ manage, sendTargets }) => {
  const path = `${manage.database.users.replace(/users$/, 'management')}/users`
  const others = [
    ...encodedOnce(path),
    path.replace('management', '%256Danagement'),
    path.replace('management', 'Management'),
    path.replace('/management', '//management'),
    path.replace('/management', '/./management'),
    path.replace('/management', '/users/../management'),
    `/${path}`,
    `${path};a`,
    `http://a${path.replace('management', '%6Danagement')}`,
  ]
  const [canonical, withQuery, ...responses] = await sendTargets(
    [path, `${path}?email=%61da@example.com`, ...others].map((target) => ['GET', target] as const),
  )
  expect([canonical?.[0], withQuery?.[0]]).toEqual([200, 200])
  expect(responses).toEqual(others.map(() => notFound))
})

it.for(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'returns 404 to %s of a path with a percent-encoded character, whether the path has the method or not',
  async (method, { manage, sendTargets }) => {
    const path = manage.database.users.replace(/users$/, '%6Danagement/tenants')
    expect(await sendTargets([[method, path]])).toEqual([notFound])
  },
)
