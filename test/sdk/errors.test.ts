import { contract, type ProblemBody, problems } from '@usher/contract'
import { createClient, type ErrorCode, UsherError } from '@usher/sdk'
import { describe, expect, it } from 'vitest'
import { app, credentials, networkFailure, problem, proxyPage, signedIn, stubFetch } from './stub-fetch.js'

const usherThat = (...answers: Parameters<typeof stubFetch>) =>
  createClient({ ...app, retries: 0, fetch: stubFetch(...answers).fetch })

const declared = Object.entries(contract.users).flatMap(([operation, { responses }]) =>
  Object.values(responses).flatMap((response) =>
    'body' in response
      ? (response.body as typeof ProblemBody).shape.code.options.map((code) => ({ operation, code }))
      : [],
  ),
)

describe('a problem', () => {
  it.each(declared)('$code of $operation is the error code', async ({ operation, code }) => {
    const usher = usherThat(() => problem(code))
    const { data, error } = await usher[operation as 'login'](credentials)
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

  it('names each fault of a field', async () => {
    const errors = [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }]
    const { error } = await usherThat(() => problem('validation_failed', {}, { errors })).login(credentials)
    expect(error?.errors).toEqual(errors)
  })

  it('is an Error that says its detail, to throw and to log', async () => {
    const { error } = await usherThat(() => problem('invalid_credentials')).login(credentials)
    expect(error).toBeInstanceOf(UsherError)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toBe('UsherError: Invalid email or password, just now.')
    expect(error).not.toHaveProperty('cause')
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'invalid_credentials', status: 401 })
  })

  it.each([
    ['7', 7],
    ['0', 0],
    [new Date(Date.now() + 60_000).toUTCString(), expect.closeTo(60, -1)],
    [new Date(Date.now() - 60_000).toUTCString(), undefined],
    ['soon', undefined],
  ])('with Retry-After: %s says when to come back', async (header, retryAfterSeconds) => {
    const { error } = await usherThat(() => problem('too_many_attempts', { 'Retry-After': header })).login(
      credentials,
    )
    expect(error).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds })
  })
})

describe('no answer', () => {
  it('keeps what fetch threw', async () => {
    const { error } = await usherThat(networkFailure).login(credentials)
    expect(error).toMatchObject({
      code: 'no_answer',
      status: undefined,
      title: 'No response from Usher',
      detail: 'TypeError: fetch failed',
      errors: [],
      requestId: undefined,
      cause: new TypeError('fetch failed'),
    })
  })

  it('is what a body that breaks off is', async () => {
    const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) })
    const { error } = await usherThat(() => new Response(broken)).me()
    expect(error).toMatchObject({ code: 'no_answer', cause: new TypeError('terminated') })
  })
})

describe('an answer that the operation cannot give', () => {
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
    ['an error of another kind', page(400, '{"title":{"en":"Bad"},"errors":1}'), 'no_answer'],
    ['a user under the status of a failure', () => signedIn('jwt', 500), 'unavailable'],
    ['an empty body', page(200, ''), 'no_answer'],
  ]
  it.each(foreign)('%s is an error of the closed union', async (_name, answer, code) => {
    const { data, error } = await usherThat(answer).login(credentials)
    expect(data).toBeUndefined()
    expect(error).toMatchObject({ code, status: answer().status, errors: [] })
    expect(error?.title).toBe('No response from Usher')
  })

  it('says its status and where the request went in the log, if there is one', async () => {
    const answer = () => new Response('', { status: 502, headers: { 'X-Request-Id': 'at-the-proxy' } })
    const { error } = await usherThat(answer).me()
    expect(error).toMatchObject({
      detail: 'Received HTTP 502, but not from Usher',
      requestId: 'at-the-proxy',
    })
  })

  it('keeps the words of a code that a later Usher may have', async () => {
    const later = { code: 'account_frozen', title: 'Frozen', detail: 'Until spring.' }
    const { error } = await usherThat(() => problem('email_taken', {}, later)).createUser(credentials)
    expect(error).toMatchObject({
      code: 'no_answer',
      status: 409,
      title: 'Frozen',
      detail: 'Until spring.',
      requestId: 'request-1',
    })
  })

  it('is not taken for a code of another operation', async () => {
    const { error } = await usherThat(() => problem('email_taken')).login(credentials)
    expect(error).toMatchObject({ code: 'no_answer', status: 409 })
  })
})
