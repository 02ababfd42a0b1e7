import { contract, type ProblemBody, problems } from '@usher/contract'
import { createClient, type ErrorCode, type ErrorData, orThrow, UsherError } from '@usher/sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  credentials,
  networkFailure,
  problem,
  proxyPage,
  signedIn,
  stubFetch,
  withToken,
} from './stub-fetch.js'

const clientWith = (...handlers: Parameters<typeof stubFetch>) =>
  createClient({ ...withToken, retries: 0, fetch: stubFetch(...handlers).fetch })

const declared = Object.entries(contract.users).flatMap(([operation, { responses }]) =>
  Object.values(responses).flatMap((response) =>
    'body' in response
      ? (response.body as typeof ProblemBody).shape.code.options.map((code) => ({ operation, code }))
      : [],
  ),
)

describe('problem responses', () => {
  it.each(declared)('returns $code of $operation as the error code', async ({ operation, code }) => {
    const usher = clientWith(() => problem(code))
    const { data, error } = await usher[(operation === 'getMe' ? 'me' : operation) as 'login'](credentials)
    expect(data).toBeUndefined()
    expect(error).toMatchObject({
      code,
      status: problems[code].status,
      title: problems[code].title,
      detail: `${problems[code].title}, just now.`,
      errors: [],
      requestId: 'request-1',
    })
  })

  it('returns the field errors of an invalid body', async () => {
    const errors = [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }]
    const { error } = await clientWith(() => problem('validation_failed', {}, { errors })).login(credentials)
    expect(error?.errors).toEqual(errors)
  })

  it('returns the tenants that need another owner', async () => {
    const tenants = ['0199c1a2-4f6b-7c3d-8e9f-0a1b2c3d4e5f']
    const usher = clientWith(
      () => problem('last_owner', {}, { tenants }),
      () => problem('last_owner'),
    )
    const { error } = await usher.deleteMe({ password: 'correct horse battery' })
    expect(error?.tenants).toEqual(tenants)
    expect(error?.toJSON().tenants).toEqual(tenants)
    expect((await usher.deleteMe({ password: 'correct horse battery' })).error?.tenants).toEqual([])
  })

  it('returns an UsherError whose message is the detail of the problem', async () => {
    const { error } = await clientWith(() => problem('invalid_credentials')).login(credentials)
    expect(error).toBeInstanceOf(UsherError)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toBe('UsherError: Invalid email or password, just now.')
    expect(error).not.toHaveProperty('cause')
  })

  it.each([
    ['JSON', (error: UsherError) => JSON.parse(JSON.stringify({ error })).error],
    ['structuredClone', (error: UsherError) => structuredClone(error.toJSON())],
  ])('keeps its data over %s', async (_name, copy) => {
    const errors = [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }] as const
    const { error } = await clientWith(() => problem('validation_failed', {}, { errors })).login(credentials)
    const data: ErrorData = copy(error as UsherError)
    expect(data).toMatchObject({ code: 'validation_failed', status: 400, errors, requestId: 'request-1' })
    const again = new UsherError(data)
    expect(again).toEqual(error)
    expect(again.field('email')).toEqual(errors[0])
  })

  it('returns the error of a field', async () => {
    const errors = [
      { path: 'password', code: 'too_short', detail: 'must have at least 8 characters', min: 8 },
      { path: 'email', code: 'required', detail: 'is required' },
    ]
    const { error } = await clientWith(() => problem('validation_failed', {}, { errors })).login(credentials)
    expect([error?.field('email'), error?.field('password'), error?.field('preferredName')]).toEqual([
      errors[1],
      errors[0],
      undefined,
    ])
  })

  it('returns email_taken as the error of the field email', async () => {
    const { error } = await clientWith(() => problem('email_taken')).createUser(credentials)
    const detail = 'Email address is already in use'
    expect(error?.field('email')).toEqual({ path: 'email', code: 'email_taken', detail })
    expect(error?.field('password')).toBeUndefined()
  })

  it.each([
    ['7', 7],
    ['0', 0],
    ['Sat, 04 Jul 2026 12:01:00 GMT', 60],
    ['Sat, 04 Jul 2026 11:59:00 GMT', undefined],
    ['soon', undefined],
  ])('returns retryAfterSeconds for Retry-After: %s', async (header, retryAfterSeconds) => {
    vi.useFakeTimers({ now: Date.parse('2026-07-04T12:00:00Z'), toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { error } = await clientWith(() => problem('too_many_attempts', { 'Retry-After': header })).login(
      credentials,
    )
    expect(error).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds })
  })
})

describe('orThrow', () => {
  it('returns the data of a result', async () => {
    const data = await orThrow(clientWith(() => signedIn('jwt')).login(credentials))
    expect(data.token.jwt).toBe('jwt')
  })

  it('throws the error of a result', async () => {
    const result = await clientWith(() => problem('invalid_credentials')).login(credentials)
    await expect(orThrow(result)).rejects.toBe(result.error)
  })
})

describe('missing responses', () => {
  it('returns no_answer with the error of fetch as its cause', async () => {
    const { error } = await clientWith(networkFailure).login(credentials)
    expect(error).toMatchObject({
      code: 'no_answer',
      status: undefined,
      title: 'No response from Usher',
      detail: 'Check the connection.',
      errors: [],
      requestId: undefined,
      cause: new TypeError('fetch failed'),
    })
  })

  it('returns no_answer when a body breaks off', async () => {
    const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) })
    const { error } = await clientWith(() => new Response(broken)).me()
    expect(error).toMatchObject({ code: 'no_answer', cause: new TypeError('terminated') })
  })
})

describe('unexpected responses', () => {
  const page = (status: number, body: string) => () => new Response(body, { status })
  const foreign: [string, () => Response, ErrorCode][] = [
    ['a proxy’s 502 page', () => proxyPage(502), 'unavailable'],
    ['a proxy’s 504 page', () => proxyPage(504), 'unavailable'],
    ['a 500 of another service', page(500, '{"message":"oops"}'), 'unavailable'],
    ['a 404 page', () => proxyPage(404), 'no_answer'],
    ['the page of a captive portal', () => proxyPage(200), 'no_answer'],
    ['the JSON of another service', page(200, '{"id":"1","token":"x"}'), 'no_answer'],
    ['JSON null', page(200, 'null'), 'no_answer'],
    ['JSON text', page(400, '"no"'), 'no_answer'],
    ['an error of another service', page(400, '{"code":"BAD","errors":{"email":["bad"]}}'), 'no_answer'],
    ['an error in another format', page(400, '{"title":{"en":"Bad"},"errors":1}'), 'no_answer'],
    ['a user with the status of an error', () => signedIn('jwt', 500), 'unavailable'],
    ['an empty body', page(200, ''), 'no_answer'],
    ['a user with another status', () => signedIn('jwt', 202), 'no_answer'],
  ]
  it.each(foreign)('returns a known error code for %s', async (_name, respond, code) => {
    const { data, error } = await clientWith(respond).login(credentials)
    expect(data).toBeUndefined()
    expect(error).toMatchObject({ code, status: respond().status, errors: [] })
    expect(error?.title).toBe('No response from Usher')
  })

  it('returns the status and the X-Request-Id of a response that is not from Usher', async () => {
    const respond = () => new Response('', { status: 502, headers: { 'X-Request-Id': 'at-the-proxy' } })
    const { error } = await clientWith(respond).me()
    expect(error).toMatchObject({
      detail: 'Received HTTP 502, but not from Usher',
      requestId: 'at-the-proxy',
    })
  })

  it('returns title and detail of an unknown code', async () => {
    const later = { code: 'account_frozen', title: 'Frozen', detail: 'Until spring.' }
    const { error } = await clientWith(() => problem('email_taken', {}, later)).createUser(credentials)
    expect(error).toMatchObject({
      code: 'no_answer',
      status: 409,
      title: 'Frozen',
      detail: 'Until spring.',
      requestId: 'request-1',
    })
  })

  it('returns no_answer for a code of another operation', async () => {
    const { error } = await clientWith(() => problem('email_taken')).login(credentials)
    expect(error).toMatchObject({ code: 'no_answer', status: 409 })
  })
})
