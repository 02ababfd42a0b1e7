import { codes, createClient, type Endpoint, me, sessions, users } from '@usher/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  credentials,
  networkFailure,
  problem,
  proxyPage,
  signedIn,
  silence,
  stubFetch,
  user,
  withToken,
} from './stub-fetch.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  expect(vi.getTimerCount(), 'timers left behind').toBe(0)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const unavailable = (retryAfter?: string) => () =>
  problem('unavailable', retryAfter === undefined ? {} : { 'Retry-After': retryAfter })

async function timed<T extends object>(call: Promise<T>) {
  const start = Date.now()
  const result = call.then((value) => ({ ...value, tookMs: Date.now() - start }))
  await vi.runAllTimersAsync()
  return result
}

const noResponse = 'Check the connection.'

describe('me and login', () => {
  it.each([
    ['a network error', networkFailure],
    ['503', unavailable()],
    ['a proxy’s 503 page', () => proxyPage(503)],
  ])('repeats me and login after %s', async (_name, failure) => {
    const login = stubFetch(failure, () => signedIn('jwt'))
    expect((await timed(createClient({ ...withToken, ...login }).login(credentials))).data?.token.jwt).toBe(
      'jwt',
    )
    const me = stubFetch(failure, user)
    expect((await timed(createClient({ ...withToken, ...me }).me())).data?.email).toBe('ada@example.com')
  })

  it('sends a request at most three times, with increasing waits', async () => {
    const { fetch, requests } = stubFetch(networkFailure, networkFailure, networkFailure)
    const { error, tookMs } = await timed(createClient({ ...withToken, fetch }).me())
    expect(error).toMatchObject({ code: 'no_answer', cause: new TypeError('fetch failed') })
    expect(requests).toHaveLength(3)
    expect(tookMs).toBe(300 + 600)
  })

  it.each([
    [0, 200],
    [0.999, 399],
  ])('randomizes the wait before a retry (Math.random() returns %d)', async (random, waitMs) => {
    vi.mocked(Math.random).mockReturnValue(random)
    const { fetch } = stubFetch(networkFailure, user)
    expect((await timed(createClient({ ...withToken, fetch }).me())).tookMs).toBe(waitMs)
  })

  it('waits for Retry-After plus the usual time before a retry', async () => {
    const { fetch } = stubFetch(unavailable('2'), unavailable('1'), user)
    const { data, tookMs } = await timed(createClient({ ...withToken, fetch }).me())
    expect(data).toBeDefined()
    expect(tookMs).toBe(2000 + 300 + 1000 + 600)
  })

  it('returns immediately when Retry-After exceeds the timeout', async () => {
    const { fetch, requests } = stubFetch(unavailable('10'))
    const { error, tookMs } = await timed(createClient({ ...withToken, fetch }).me())
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 })
    expect([requests.length, tookMs]).toEqual([1, 0])
  })

  it.each([
    ['internal_error', 'me'],
    ['token_invalid', 'me'],
    ['too_many_attempts', 'login'],
    ['invalid_credentials', 'login'],
  ] as const)('returns %s of %s without a retry', async (code, operation) => {
    const { fetch, requests } = stubFetch(() => problem(code))
    const usher = createClient({ ...withToken, fetch })
    const call = operation === 'me' ? usher.me() : usher.login(credentials)
    const { error } = await timed<Awaited<typeof call>>(call)
    expect([error?.code, requests.length]).toEqual([code, 1])
  })

  it('sends a request once when retries is 0', async () => {
    const { fetch, requests } = stubFetch(networkFailure)
    await timed(createClient({ ...withToken, fetch, retries: 0 }).me())
    expect(requests).toHaveLength(1)
  })
})

describe('createUser', () => {
  it.each([
    ['a network error', networkFailure],
    ['503', unavailable('1')],
  ])('repeats createUser after %s with the same Idempotency-Key', async (_name, failure) => {
    const { fetch, requests } = stubFetch(failure, () => signedIn('jwt', 201))
    const { data } = await timed(createClient({ ...withToken, fetch }).createUser(credentials))
    expect(data?.token.jwt).toBe('jwt')
    const [first, second] = requests.map(({ headers }) => headers['Idempotency-Key'])
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
  })

  it('sends a new Idempotency-Key with each call', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('a', 201),
      () => signedIn('b', 201),
    )
    const usher = createClient({ ...withToken, fetch })
    await usher.createUser(credentials)
    await usher.createUser(credentials)
    const [first, second] = requests.map(({ headers }) => headers['Idempotency-Key'])
    expect(second).not.toBe(first)
  })

  it.each([
    ['a network error', networkFailure, 'no_answer'],
    ['503', unavailable(), 'unavailable'],
  ])('sends createUser once after %s when the runtime has no randomUUID', async (_name, failure, code) => {
    vi.stubGlobal('crypto', {})
    const { fetch, requests } = stubFetch(failure)
    const { error } = await timed(createClient({ ...withToken, fetch }).createUser(credentials))
    expect([error?.code, requests.length]).toEqual([code, 1])
    expect(requests[0]?.headers).not.toHaveProperty('Idempotency-Key')
  })
})

it('repeats requestPasswordReset after 503 and without a response, because it never returns 429', async () => {
  const accepted = () => Response.json({}, { status: 202 })
  const { fetch, requests } = stubFetch(unavailable(), networkFailure, accepted)
  const { error } = await timed(createClient({ fetch, ...withToken }).requestPasswordReset(credentials))
  expect([error, requests.length]).toEqual([undefined, 3])
})

describe('requests that are not repeatable', () => {
  const routers: Record<string, Endpoint> = { ...users, ...sessions, ...me, ...codes }
  const others = Object.entries(routers).filter(
    ([, { isRepeatable, acceptsIdempotencyKey }]) => !isRepeatable && !acceptsIdempotencyKey,
  )

  it('knows some operations of which a second request could fail for a wrong reason', () => {
    const names = others.map(([name]) => name)
    expect(names).toEqual(
      expect.arrayContaining(['changePassword', 'requestEmailVerification', 'verifyEmail']),
    )
  })

  it.each(
    others.flatMap(([name]) => [
      [name, 'a network error', networkFailure, 'no_answer'] as const,
      [name, '503', unavailable('1'), 'unavailable'] as const,
    ]),
  )('sends %s once after %s', async (name, _failure, failure, code) => {
    const { fetch, requests } = stubFetch(failure)
    const usher = createClient({ ...withToken, fetch, token: 'jwt' })
    const { error } = await timed(usher[name as 'changePassword']({} as never))
    expect([error?.code, requests.length]).toEqual([code, 1])
  })
})

describe('timeouts', () => {
  it('ends a call after ten seconds by default', async () => {
    const { fetch, requests } = stubFetch(silence)
    const { error, tookMs } = await timed(createClient({ ...withToken, fetch }).login(credentials))
    expect(error).toMatchObject({
      code: 'no_answer',
      detail: noResponse,
      cause: expect.objectContaining({ name: 'TimeoutError', message: 'No response within 10000 ms' }),
    })
    expect(error?.cause).toMatchObject({ name: 'TimeoutError' })
    expect([requests.length, tookMs]).toEqual([1, 10_000])
  })

  it('ends a call after timeoutMs, including retries and waits', async () => {
    const { fetch, requests } = stubFetch(networkFailure, silence)
    const { error, tookMs } = await timed(createClient({ ...withToken, fetch, timeoutMs: 1000 }).me())
    expect(error?.cause).toMatchObject({ name: 'TimeoutError' })
    expect([requests.length, tookMs]).toEqual([2, 1000])
  })

  it('ends a call after timeoutMs if the clock is set back during the wait before a retry', async () => {
    const { fetch } = stubFetch(networkFailure, silence)
    const call = createClient({ ...withToken, fetch, timeoutMs: 5000 }).me()
    await vi.advanceTimersByTimeAsync(100)
    vi.setSystemTime(Date.now() - 3_600_000)
    await vi.advanceTimersByTimeAsync(4900)
    expect(vi.getTimerCount()).toBe(0)
    expect((await call).error).toMatchObject({ code: 'no_answer', cause: { name: 'TimeoutError' } })
  })

  it('returns immediately if the clock was set back during a request that failed', async () => {
    const { fetch, requests } = stubFetch(() => {
      vi.setSystemTime(Date.now() - 3_600_000)
      return problem('unavailable')
    })
    expect((await timed(createClient({ ...withToken, fetch }).me())).error?.code).toBe('unavailable')
    expect(requests).toHaveLength(1)
  })

  it('ends a call whose fetch ignores the signal', async () => {
    const { fetch } = stubFetch(() => new Promise(() => undefined))
    const { error, tookMs } = await timed(createClient({ ...withToken, fetch, timeoutMs: 50 }).me())
    expect([error?.code, tookMs]).toEqual(['no_answer', 50])
  })

  it('ends a call while it reads a body', async () => {
    const { fetch } = stubFetch(() => new Response(new ReadableStream()))
    expect((await timed(createClient({ ...withToken, fetch }).me())).error?.code).toBe('no_answer')
  })

  it('has no timeout when timeoutMs is Infinity', async () => {
    const { fetch } = stubFetch(async () => {
      await vi.advanceTimersByTimeAsync(24 * 3_600_000)
      return user()
    })
    const { data } = await createClient({ ...withToken, fetch, timeoutMs: Number.POSITIVE_INFINITY }).me()
    expect(data).toBeDefined()
  })
})

describe('the caller’s signal', () => {
  it('sends nothing when the signal is already aborted', async () => {
    const { fetch, requests } = stubFetch()
    const { error } = await createClient({ ...withToken, fetch }).me({ signal: AbortSignal.abort('left') })
    expect(error).toMatchObject({ code: 'no_answer', cause: 'left', detail: noResponse })
    expect(requests).toEqual([])
  })

  it.each(['createUser', 'login', 'me'] as const)('aborts the request of %s', async (operation) => {
    const controller = new AbortController()
    const { fetch, requests } = stubFetch(silence)
    const usher = createClient({ ...withToken, fetch })
    const { signal } = controller
    const call = operation === 'me' ? usher.me({ signal }) : usher[operation](credentials, { signal })
    await vi.advanceTimersByTimeAsync(10)
    controller.abort(new Error('left'))
    expect((await call).error).toMatchObject({ code: 'no_answer', cause: new Error('left') })
    expect(requests[0]?.signal.aborted).toBe(true)
    await vi.runAllTimersAsync()
    expect(requests).toHaveLength(1)
  })

  it('aborts the wait before a retry', async () => {
    const controller = new AbortController()
    const { fetch, requests } = stubFetch(unavailable('5'))
    const call = createClient({ ...withToken, fetch }).me({ signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1000)
    controller.abort('left')
    expect((await call).error).toMatchObject({ code: 'no_answer', cause: 'left' })
    await vi.runAllTimersAsync()
    expect(requests).toHaveLength(1)
  })

  it('removes its listeners after a call', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const { fetch } = stubFetch(user)
    await createClient({ ...withToken, fetch }).me({ signal })
    expect(removed.mock.calls).toEqual(added.mock.calls)
  })

  it('does not abort the signal of fetch after a response was read', async () => {
    const { fetch, requests } = stubFetch(user)
    await createClient({ ...withToken, fetch }).me()
    expect(requests[0]?.signal.aborted).toBe(false)
  })
})
