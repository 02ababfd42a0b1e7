import { Writable } from 'node:stream'
import fastify from 'fastify'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { ClientDisconnected, DependencyUnavailable, Problem } from '../../server/domain/problem.js'
import { createErrorHandler } from '../../server/http/problem-details.js'
import { UnavailableError } from '../../server/store/errors.js'

/** Returns the response to a request that throws an error, with the counted problems and the log lines. */
async function thrown(error: Error, headers: Record<string, string> = {}) {
  const counted: string[] = []
  const lines: string[] = []
  const log = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const app = fastify({ loggerInstance: pino({ level: 'warn' }, log) })
  app.setErrorHandler(createErrorHandler('https://usher.example', ({ code }) => void counted.push(code)))
  app.get('/:workspaceSlug/:databaseName', () => {
    throw error
  })
  const response = await app.inject({ url: '/demo/app?secret=1', headers })
  const logged = lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level} ${msg}`)
  return { response, counted, logged }
}

it.for([
  [new TypeError('a bug'), 500, 'internal_error', ['50 internal error']],
  [new UnavailableError('the store is unreachable'), 503, 'unavailable', ['40 unavailable']],
  [new DependencyUnavailable('the list is unreachable'), 503, 'unavailable', ['40 unavailable']],
  [new Problem('unavailable'), 503, 'unavailable', []],
  [new Problem('email_taken'), 409, 'email_taken', []],
] as const)('%s is a %s and is logged if it is unexpected', async ([error, status, code, lines]) => {
  const { response, counted, logged } = await thrown(error)
  expect([response.statusCode, counted, logged]).toEqual([status, [code], lines])
  expect(response.json()).toEqual({
    type: `https://usher.example/problems/${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: '/demo/app',
    code,
    requestId: expect.any(String),
  })
  expect(response.body).not.toMatch(/a bug|is unreachable/)
})

it('a disconnected client gets no problem', async () => {
  const { response, counted, logged } = await thrown(new ClientDisconnected())
  expect([response.statusCode, response.body, counted, logged]).toEqual([499, '', [], []])
})

it('a problem asks to wait as long as it says, or a second', async () => {
  const after = async (options: object) =>
    (await thrown(new Problem('too_many_attempts', options))).response.headers['retry-after']
  expect([await after({ retryAfterSeconds: 7 }), await after({})]).toEqual(['7', '1'])
})

it('a problem names the errors of fields, or the tenants, that it has', async () => {
  const errors = [{ path: 'name', code: 'required', detail: 'is missing' }] as never
  const { response } = await thrown(new Problem('validation_failed', { errors }))
  expect(response.json()).toMatchObject({ errors: [{ path: 'name' }] })
  const tenants = ['engines']
  expect((await thrown(new Problem('last_owner', { tenants }))).response.json()).toMatchObject({ tenants })
})

it.for([
  ['token_missing', {}, 'Bearer realm="demo/app"'],
  ['invalid_credentials', {}, 'Password realm="demo/app"'],
  ['session_ended', {}, 'Password realm="demo/app"'],
  [
    'insufficient_scope',
    { scope: 'users:read' },
    'Bearer realm="demo/app", error="insufficient_scope", scope="users:read"',
  ],
  [
    'token_invalid',
    { detail: 'Expired.' },
    'Bearer realm="demo/app", error="invalid_token", error_description="Expired."',
  ],
] as const)('the challenge of %s names the database', async ([code, options, challenge]) => {
  const { response } = await thrown(new Problem(code, options))
  expect(response.headers['www-authenticate']).toBe(challenge)
})

it.for([
  [undefined, undefined],
  ['identity', undefined],
  ['gzip', 'identity'],
] as const)('a request with the content coding %s is asked for %s', async ([coding, accepted]) => {
  const headers: Record<string, string> = coding ? { 'content-encoding': coding } : {}
  const { response } = await thrown(new Problem('unsupported_media_type'), headers)
  expect(response.headers['accept-encoding']).toBe(accepted)
})

it.for([
  [
    new Problem('database_being_deleted', { detail: 'Database app is being deleted.' }),
    'database_not_found',
    /^Database/,
  ],
  [
    new Problem('webhook_missing', { detail: 'The database has no webhook.' }),
    'webhook_missing',
    /has no webhook\.$/,
  ],
] as const)('%s of the rules for operators is the problem %s', async ([error, code, detail]) => {
  const { response, counted, logged } = await thrown(error)
  expect(response.json()).toMatchObject({ code, detail: expect.stringMatching(detail) })
  expect([counted, logged]).toEqual([[code], []])
})
