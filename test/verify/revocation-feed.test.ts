import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createVerifier } from '@usher/verify'
import { beforeEach, describe, expect, onTestFinished, vi } from 'vitest'
import { newGate } from '../support/gate.js'
import { expiresAt, signToken } from './fake-feed.js'
import { eventually, it, outcome } from './fake-feed-test.js'

const user = crypto.randomUUID()
const revocation = { type: 'tokens-revoked', userId: user, generation: 5 }
let token: string
let valid: string
beforeEach(async () => {
  token = await signToken({ sub: user, gen: 4 })
  valid = await signToken({ sub: user, gen: 5 })
})

const problem = (status: number, code: string, headers = {}) => Response.json({ code }, { status, headers })
v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const never = () => new Promise(() => undefined)
const refuseConnection = () => Promise.reject(new TypeError('fetch failed'))

describe('at the start', () => {
  it('verify waits until all pages are loaded', async ({ feed, follow }) => {
    feed.pageSize = 1
    feed.add({ ...revocation, userId: crypto.randomUUID() }, revocation)
    let release = () => {}
    feed.respond = async (request) => {
      if (request.after) await new Promise<void>((resolve) => (release = resolve))
      return feed.answer(request)
    }
    const verifier = follow()
    const results = Promise.all([outcome(verifier, token), outcome(verifier, valid)])
    await eventually(() => expect(feed.requests).toHaveLength(2))
    expect(verifier.revocations()).toEqual({
      isStale: true,
      lastReadAt: undefined,
      entries: 0,
      error: undefined,
    })
    release()
    expect(await results).toEqual(['token_invalid', 'accepted'])
    expect(verifier.revocations()).toMatchObject({ isStale: false, lastReadAt: expect.any(Date), entries: 2 })
  })

  it('an interrupted load continues with the next page', async ({ feed, follow }) => {
    feed.pageSize = 1
    feed.add({ ...revocation, userId: crypto.randomUUID() }, revocation)
    let isCut = false
    feed.respond = (request) => {
      if (!request.after || isCut) return feed.answer(request)
      isCut = true
      return refuseConnection()
    }
    const verifier = follow()
    await eventually(() => expect(verifier.revocations()?.isStale).toBe(false))
    expect(feed.requests.slice(0, 3).map(({ after }) => after)).toEqual([null, 'a.1', 'a.1'])
    expect(await outcome(verifier, token)).toBe('token_invalid')
  })

  it.for([
    ['accept', 'accepted'],
    ['refuse', 'revocations_stale'],
  ] as const)(
    'verify waits for timeoutMs at most, then does what onStale %s says',
    async ([onStale, expected], { feed, follow }) => {
      feed.respond = never
      const verifier = follow({ timeoutMs: 100, revocations: { onStale } })
      expect(await outcome(verifier, token)).toBe(expected)
      expect(await outcome(verifier, 'a.b.c')).toBe('token_invalid')
    },
  )

  it('a request that gets no response ends, also after garbage was collected', async ({ feed, follow }) => {
    feed.respond = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const verifier = follow({ timeoutMs: 500 })
    expect(feed.requests).toHaveLength(1)
    await new Promise(setImmediate)
    collectGarbage()
    await eventually(() => expect(verifier.revocations()?.error).toMatchObject({ name: 'TimeoutError' }))
    feed.respond = undefined
    await eventually(() => expect(verifier.revocations()?.isStale).toBe(false))
  })

  it('verify does not wait again after a request has failed', async ({ feed, follow }) => {
    feed.respond = refuseConnection
    const verifier = follow({ timeoutMs: 2 ** 31 - 1 })
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
    feed.respond = never
    await eventually(() => expect(feed.requests.length).toBeGreaterThan(1))
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
  })
})

describe.concurrent('a state that is not fresh', () => {
  it('is read again before a token is accepted, after the machine has slept', async ({ feed, followed }) => {
    const verifier = await followed()
    expect(await outcome(verifier, token)).toBe('accepted')
    // The request that waits does not learn of it.
    feed.add(revocation)
    feed.now += 3_600_000
    expect(verifier.revocations()?.isStale).toBe(true)
    const sent = feed.requests.length
    const results = await Promise.all(Array.from({ length: 20 }, () => outcome(verifier, token)))
    expect(new Set(results)).toEqual(new Set(['token_invalid']))
    expect(feed.requests.slice(sent).map(({ wait }) => wait > 0)).toEqual([false, true])
    expect(await outcome(verifier, valid)).toBe('accepted')
  })

  it('is not made fresh by a response that arrived while the machine slept', async ({ feed, followed }) => {
    const verifier = await followed()
    feed.now += 3_600_000
    // The request that waits gets what the server sent before: nothing new. The next one does not get through.
    feed.respond = refuseConnection
    feed.announce()
    await eventually(() => expect(verifier.revocations()?.error).toBeDefined())
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
    expect(verifier.revocations()?.lastReadAt?.getTime()).toBeLessThan(feed.now - 3_500_000)
  })

  it('is read again after the clock was set back', async ({ feed, followed }) => {
    const verifier = await followed()
    feed.add(revocation)
    feed.now -= 25_000
    expect(await outcome(verifier, token)).toBe('accepted')
    feed.now -= 4_000
    expect(await outcome(verifier, token)).toBe('accepted')
    feed.now += 60_001
    expect(await outcome(verifier, token)).toBe('token_invalid')
  })

  it.for([
    ['accept', 'accepted'],
    ['refuse', 'revocations_stale'],
  ] as const)(
    'without the server, %s decides on tokens that are not known to be revoked',
    async ([onStale, expected], { feed, followed }) => {
      feed.add(revocation)
      const verifier = await followed({ revocations: { onStale } })
      feed.respond = refuseConnection
      feed.now += 30_000
      expect(await outcome(verifier, valid)).toBe('accepted')
      feed.now += 1_000
      const { error } = await verifier.verify(valid)
      expect(error?.code ?? 'accepted').toBe(expected)
      if (error)
        expect(error).toMatchObject({
          status: 503,
          headers: { 'Retry-After': '5' },
          cause: { message: 'fetch failed' },
        })
      expect(await outcome(verifier, token)).toBe('token_invalid')
      expect(verifier.revocations()).toMatchObject({ isStale: true, error: { message: 'fetch failed' } })
      feed.respond = undefined
      await eventually(() =>
        expect(verifier.revocations()).toMatchObject({ isStale: false, error: undefined }),
      )
      expect(await outcome(verifier, valid)).toBe('accepted')
    },
  )
})

describe.concurrent('a request', () => {
  it('has the key and the cursor, and waits', async ({ feed, followed }) => {
    feed.add(revocation)
    await followed()
    expect(feed.requests.map(({ after }) => after)).toEqual([null, 'a.1'])
    const [first, second] = feed.requests.map(({ wait }) => wait)
    expect(first).toBe(0)
    expect([24, 25]).toContain(second)
    for (const { headers } of feed.requests) expect(headers).toEqual({ Authorization: 'Bearer usher_key' })
  })

  it('waits for a shorter time if the state would become stale', async ({ feed, followed }) => {
    await followed({ revocations: { staleSeconds: 10 } })
    expect([4, 5]).toContain(feed.requests.at(-1)?.wait)
    // Read at the start of the request, so 4 s ago.
    feed.add(revocation)
    feed.now += 4_000
    feed.announce()
    await eventually(() => expect(feed.requests).toHaveLength(3))
    expect([1, 2]).toContain(feed.requests.at(-1)?.wait)
  })

  it('is sent again without waiting if a proxy cuts it', async ({ feed, followed }) => {
    const verifier = await followed()
    feed.respond = (request) => (request.wait > 0 ? refuseConnection() : feed.answer(request))
    feed.cut()
    await eventually(() => expect(feed.requests.length).toBeGreaterThan(6))
    const waited = feed.requests.slice(1, 5).map(({ wait }) => wait > 0)
    expect(waited).toEqual([true, false, true, false])
    expect(verifier.revocations()?.isStale).toBe(false)
  })

  it('does not follow a redirect', async ({ feed, follow }) => {
    feed.respond = () => new Response('', { status: 307, headers: { location: 'https://attacker.example/' } })
    const verifier = follow()
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
    expect(verifier.revocations()?.error?.message).toMatch(/returned 307$/)
  })

  it.for([
    [401, 'key_invalid'],
    [403, 'insufficient_scope'],
    [404, 'database_not_found'],
    [429, 'too_many_requests'],
    [500, 'internal'],
    [503, 'unavailable'],
  ] as const)('is repeated after %i', async ([status, code], { feed, followed }) => {
    const verifier = await followed()
    feed.respond = () => problem(status, code)
    feed.cut()
    await eventually(() => expect(feed.requests.length).toBeGreaterThan(3))
    expect(verifier.revocations()).toMatchObject({ isStale: false, error: { status, code } })
    feed.add(revocation)
    feed.respond = undefined
    await eventually(async () => expect(await outcome(verifier, token)).toBe('token_invalid'))
    expect(verifier.revocations()?.error).toBeUndefined()
  })

  it.for([
    ['an error', () => problem(503, 'unavailable', { 'retry-after': '1' })],
    [
      'a page',
      () =>
        Response.json(
          { revocations: [], next: 'a.0', moreAvailable: false },
          { headers: { 'retry-after': '1' } },
        ),
    ],
    [
      'an empty page that comes too early',
      () => Response.json({ revocations: [], next: 'a.0', moreAvailable: false }),
    ],
  ] as const)('pauses for a second after %s', async ([, respond], { feed, followed }) => {
    await followed()
    const times: number[] = []
    feed.respond = () => {
      times.push(performance.now())
      return respond()
    }
    feed.cut()
    await eventually(() => expect(times.length).toBeGreaterThan(2))
    // The first one after the cut did not wait.
    const [, second = 0, third = 0] = times
    expect(third - second).toBeGreaterThan(990)
  })
})

describe('a cursor that has expired', () => {
  it('loads everything again, and keeps the earlier state until that is complete', async ({
    feed,
    followed,
  }) => {
    feed.add(revocation)
    const verifier = await followed()
    feed.lineage = 'b'
    feed.clear()
    const later = { ...revocation, userId: crypto.randomUUID() }
    feed.add(later, { ...later, userId: crypto.randomUUID() })
    feed.pageSize = 1
    let release = () => {}
    feed.respond = async (request) => {
      if (request.after === 'b.1') await new Promise<void>((resolve) => (release = resolve))
      return feed.answer(request)
    }
    feed.announce()
    await eventually(() => expect(feed.requests.at(-1)?.after).toBe('b.1'))
    expect(await outcome(verifier, token)).toBe('token_invalid')
    release()
    await eventually(async () => expect(await outcome(verifier, token)).toBe('accepted'))
    const revoked = await signToken({ sub: later.userId, gen: 4 })
    expect(await outcome(verifier, revoked)).toBe('token_invalid')
    expect(verifier.revocations()?.entries).toBe(2)
  })
})

describe.concurrent('a page', () => {
  const page = { revocations: [], next: 'a.1', moreAvailable: false }
  const row = { ...revocation, expiresAt }
  const change = { type: 'token-claims-change', userId: user, version: 1, tenantId: user, role: null }

  it.for<[string, unknown]>([
    ['no list', { ...page, revocations: {} }],
    ['no cursor', { ...page, next: undefined }],
    ['an empty cursor', { ...page, next: '' }],
    ['no moreAvailable', { ...page, moreAvailable: 'false' }],
    ['no object', [page]],
    ['an item that is no object', { ...page, revocations: [row, null] }],
    ['an item without type', { ...page, revocations: [row, { ...row, type: undefined }] }],
    ['no user', { ...page, revocations: [row, { ...row, userId: undefined }] }],
    ['a user without UUID', { ...page, revocations: [row, { ...row, userId: 'ada' }] }],
    ['no generation', { ...page, revocations: [row, { ...row, generation: undefined }] }],
    ['a fraction', { ...page, revocations: [row, { ...row, generation: 1.5 }] }],
    ['no expiry', { ...page, revocations: [row, { ...row, expiresAt: undefined }] }],
    ['an expiry that is no instant', { ...page, revocations: [row, { ...row, expiresAt: 'soon' }] }],
    ['an expiry in 2200', { ...page, revocations: [row, { ...row, expiresAt: '2200-01-01T00:00:00Z' }] }],
    ['no session', { ...page, revocations: [row, { ...row, type: 'session-revoked' }] }],
    ['no tenant', { ...page, revocations: [row, { ...row, type: 'tenant-deleted' }] }],
    ['no kid', { ...page, revocations: [row, { ...row, type: 'key-retired' }] }],
    ['no version', { ...page, revocations: [row, { ...change, expiresAt, version: null }] }],
    ['no role', { ...page, revocations: [row, { ...change, expiresAt, role: undefined }] }],
    ['the same cursor again', { ...page, revocations: [row], next: 'a.0' }],
    ['more, and the same cursor again', { ...page, next: 'a.0', moreAvailable: true }],
    ['text', 'none'],
    ['more than 1 MiB', { ...page, revocations: [{ ...row, padding: 'a'.repeat(2 ** 20) }] }],
  ])('with %s is a failed request, and none of it is used', async ([, body], { feed, followed }) => {
    const verifier = await followed()
    feed.respond = () => Response.json(body)
    feed.cut()
    await eventually(() => expect(verifier.revocations()?.error).toBeInstanceOf(Error))
    expect(verifier.revocations()?.entries).toBe(0)
    expect(await outcome(verifier, token)).toBe('accepted')
    feed.now += 31_000
    expect(await outcome(verifier, token)).toBe('revocations_stale')
    feed.respond = undefined
    feed.add(revocation)
    await eventually(async () => expect(await outcome(verifier, token)).toBe('token_invalid'))
  })

  it('with fields that are not known is used', async ({ feed, followed }) => {
    feed.add({ ...revocation, reason: 'because' })
    const verifier = await followed()
    expect(await outcome(verifier, token)).toBe('token_invalid')
  })

  it.for(['later-type', 'constructor'])(
    'with the unknown type %s is used, and the state is stale',
    async (type, { feed, followed }) => {
      const verifier = await followed()
      feed.add({ type, deviceId: '1' }, revocation)
      feed.announce()
      await eventually(() => expect(verifier.revocations()?.isStale).toBe(true))
      expect(await outcome(verifier, token)).toBe('token_invalid')
      expect(await outcome(verifier, valid)).toBe('revocations_stale')
      const message = `This version of @usher/verify does not know ${type}`
      expect(verifier.revocations()?.error?.message).toBe(message)
      expect(feed.requests.at(-1)?.after).toBe('a.2')
    },
  )

  it('with more than maxEntries is not used, and the state becomes stale', async ({ feed, followed }) => {
    feed.add(revocation)
    const verifier = await followed({ revocations: { maxEntries: 1 } })
    feed.add({ ...revocation, userId: crypto.randomUUID() })
    feed.announce()
    await eventually(() =>
      expect(verifier.revocations()?.error?.message).toBe('There are more than 1 revocations'),
    )
    expect(await outcome(verifier, token)).toBe('token_invalid')
    expect(await outcome(verifier, valid)).toBe('accepted')
    feed.now += 31_000
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
  })
})

describe('a verifier', () => {
  it('sends requests less often after each failure, every 5 s at least', async ({ feed, followed }) => {
    await followed()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.spyOn(Math, 'random').mockReturnValue(1)
    feed.respond = refuseConnection
    feed.cut()
    const sent: number[] = []
    for (let tenths = 0; tenths < 190; tenths++) {
      await vi.advanceTimersByTimeAsync(100)
      sent.push(feed.requests.length)
    }
    vi.useRealTimers()
    const steps = sent.flatMap((count, index) => (count > (sent[index - 1] ?? 2) ? [index] : []))
    const pauses = steps.slice(1).map((step, index) => (step - (steps[index] ?? 0)) / 10)
    // The cut was the first failure.
    expect(pauses.slice(0, 5)).toEqual([1, 2, 4, 5, 5])
  })

  it('asks the server for tenants and roles also if the state is stale or the token was revoked', async ({
    feed,
    followed,
  }) => {
    feed.add(revocation)
    const me = { tenants: ['a'], memberships: [{ id: 'a', role: 'admin' }] }
    const fetch: typeof feed.options.fetch = (url, init) =>
      url.endsWith('/users/me') ? Promise.resolve(Response.json(me)) : feed.options.fetch(url, init)
    const verifier = await followed({ fetch })
    expect((await verifier.fetchTenants(token)).data).toEqual(['a'])
    feed.respond = refuseConnection
    feed.now += 31_000
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
    expect((await verifier.fetchRoles(valid)).data).toEqual(new Map([['a', 'admin']]))
  })

  it('sends no request after close, and its state is stale', async ({ feed, followed }) => {
    const verifier = await followed()
    const { signal } = feed.requests.at(-1) ?? {}
    verifier.close()
    verifier.close()
    expect(signal?.aborted).toBe(true)
    expect(verifier.revocations()).toMatchObject({ isStale: true, error: undefined })
    expect(await outcome(verifier, valid)).toBe('revocations_stale')
    expect(feed.requests).toHaveLength(2)
  })

  it('ends a pause when it is closed, so that a runtime whose timers keep a process alive exits', async ({
    feed,
    followed,
  }) => {
    const verifier = await followed()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    feed.respond = () => new Response(null, { status: 503, headers: { 'Retry-After': '60' } })
    feed.cut()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(1)
    verifier.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not pause after it was closed while a response arrived', async ({ feed, follow }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const arrival = newGate()
    const page = { revocations: [], next: 'a.0', moreAvailable: false }
    feed.respond = async () => {
      await arrival.opened
      return Response.json(page, { headers: { 'Retry-After': '60' } })
    }
    const verifier = follow()
    verifier.close()
    arrival.open()
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has a state of its own', async ({ feed, followed }) => {
    const [first, last] = [await followed(), await followed({ revocations: { onStale: 'accept' } })]
    first.close()
    expect(last.revocations()?.isStale).toBe(false)
    expect(await outcome(last, valid)).toBe('accepted')
    expect(feed.requests.filter(({ signal }) => signal.aborted)).toHaveLength(1)
  })

  it('has no state of revocations without the option', async ({ feed }) => {
    const verifier = createVerifier(feed.options)
    expect(await outcome(verifier, token)).toBe('accepted')
    expect(verifier.revocations()).toBeUndefined()
    verifier.close()
    expect(feed.requests).toEqual([])
  })
})

describe('createVerifier', () => {
  it.for<[string, unknown]>([
    ['apiKey', undefined],
    ['apiKey', ''],
    ['apiKey', 'two words'],
    ['onStale', undefined],
    ['onStale', 'ignore'],
    ['staleSeconds', 9],
    ['staleSeconds', 30.5],
    ['staleSeconds', 86_401],
    ['maxEntries', 0],
    ['maxEntries', '1000'],
  ])('throws a TypeError that names revocations.%s for %s', ([name, value], { feed, follow }) => {
    const create = () => follow({ revocations: { [name]: value } })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`createVerifier: revocations.${name} must be `)
    expect(feed.requests).toEqual([])
  })

  it('throws a TypeError in a Cloudflare Worker', ({ follow }) => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    expect(follow).toThrow('createVerifier: revocations must be undefined in a Cloudflare Worker')
  })
})
