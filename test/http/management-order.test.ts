import { connect } from 'node:net'
import { type RouteMetadata, scopeOf } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { describe, expect } from 'vitest'
import { it } from '../support/management.js'
import { everyOperation } from '../support/operations.js'
import { setDatabase } from '../support/operator-changes.js'

const id = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'
const operations = everyOperation.flatMap(({ api, name, route: { method, path, metadata } }) => {
  const scope = scopeOf(metadata as RouteMetadata)
  const { lines } = metadata as RouteMetadata
  const [, below = ''] = path.split('/management/')
  const type = lines ? 'application/x-ndjson' : 'application/json'
  return api === 'management' && scope
    ? [{ name, method, path: below.replace(/:\w+/g, id), scope, type }]
    : []
})

/** What is invalid in every operation: a parameter that none has, and a body that is no object. */
const invalid = { query: '?unknown=1', body: Buffer.from('[]') }

describe('before an invalid request is looked at', () => {
  it.for(operations)(
    '$name verifies the key and its scope, and then rejects an unknown parameter',
    async ({ method, path, scope, type }, { manage, store }) => {
      // Without it these operations do not exist.
      if (scope === 'sso:write') await setDatabase(store, manage.database, { singleSignOn: true })
      const [withScope, without] = [await manage.newKey([scope]), await manage.newKey(othersOf(scope))]
      const outcome = async (key: string | undefined) => {
        const response = await manage.send(key, method, path + invalid.query, invalid.body, {
          'content-type': type,
        })
        const { code, errors = [] } = response.json()
        return [response.statusCode, code, ...errors.map((error: { path: string }) => error.path)]
      }
      expect(await outcome(undefined)).toEqual([401, 'key_invalid'])
      expect(await outcome(without.key)).toEqual([403, 'insufficient_scope'])
      expect((await outcome(withScope.key)).slice(0, 3)).toEqual([400, 'validation_failed', 'query'])
    },
  )
})

/** Returns all scopes but one. */
const othersOf = (scope: Scope) =>
  [...new Set(operations.map((each) => each.scope))].filter((each) => each !== scope)

it.for([
  { kind: 'that is not JSON', headers: 'Content-Length: 9\r\n', body: 'not JSON!' },
  { kind: 'that is too large', headers: 'Content-Length: 999999999\r\n', body: '' },
  { kind: 'that has not arrived', headers: 'Content-Length: 9\r\n', body: '{' },
  { kind: 'of another type', headers: 'Content-Type: text/plain\r\nContent-Length: 1\r\n', body: '1' },
])('a body $kind is not read without a key', async ({ headers, body }, { manage, port }) => {
  const path = manage.database.users.replace(/users$/, 'management/tenants')
  const socket = connect(port, '127.0.0.1')
  const response = new Promise<string>((resolve, reject) =>
    socket.once('data', (data) => resolve(String(data))).once('error', reject),
  )
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`)
  expect(await response).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})
