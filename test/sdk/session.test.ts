import type { Client, FetchInit } from '@usher/sdk'
import { createSessionClient } from '@usher/sdk/session'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newGate } from '../support/gate.js'
import {
  app,
  credentials,
  memoryStore,
  networkFailure,
  problem,
  signedIn,
  stubFetch,
  user,
} from './stub-fetch.js'

const now = Date.parse('2026-03-01T12:00:00Z')
const minutes = 60_000
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Returns a response of `openSession` or `refreshSession`. */
async function session(jwt: string, refreshToken: string, status = 200) {
  const body = await signedIn(jwt).json()
  return Response.json(
    { ...body, refreshToken: { value: refreshToken, maxAge: 1_209_600, type: 'REFRESH_TOKEN' } },
    { status },
  )
}

const noContent = () => new Response(null, { status: 204 })

/** Returns a client that has logged in and opened a session, with handlers for its later requests. */
async function openedClient(options: object, ...handlers: Parameters<typeof stubFetch>) {
  const { fetch, requests } = stubFetch(
    () => signedIn('login'),
    () => session('first', 'refresh.0', 201),
    ...handlers,
  )
  const usher = createSessionClient({ ...app, fetch, ...options })
  await usher.login(credentials)
  /** Returns path, token and body of the requests after the login. */
  const sent = () =>
    requests
      .slice(2)
      .map(({ url, headers, body }) => [
        url.replace(/.*\/users\//, ''),
        headers.Authorization?.replace('Bearer ', ''),
        body && JSON.parse(body).refreshToken,
      ])
  return { usher, requests, sent }
}

const refreshWith = (refreshToken: string) => ['session/refresh', undefined, refreshToken]

/**
 * Returns a `fetch` for users whose email and tokens are their name, and the refresh tokens of the open sessions. Ada has
 * one.
 *
 * @param before waits before a response, or replaces it
 */
function newServer(before: (path: string, jwt: string) => unknown = () => undefined) {
  const sessions = new Set(['ada.0'])
  const fetch = async (url: string, { headers, body = '{}' }: FetchInit) => {
    const path = url.replace(/.*\/users\//, '')
    const jwt = headers.Authorization?.split(' ')[1] ?? ''
    const { email, refreshToken } = JSON.parse(body)
    const replaced = await before(path, jwt)
    if (replaced instanceof Response) return replaced
    if (path === 'login') return signedIn(email)
    if (path === 'me/password') return signedIn('changed')
    if (path === 'me/session') {
      sessions.add(`${jwt}.0`)
      return session(jwt, `${jwt}.0`, 201)
    }
    sessions.delete(refreshToken)
    return noContent()
  }
  return { fetch, sessions }
}

/** Returns a store that holds Ada's session, and a function that lets its reads end. */
function slowStore() {
  const { items, store } = memoryStore()
  items.set('usher.demo.app.https_3a_2f_2fusers.example.com.session', 'ada.0 ')
  const reads = newGate()
  const getItem = async (key: string) => {
    await reads.opened
    return store.getItem(key)
  }
  return { items, store, sessionStore: { ...store, getItem }, endReads: reads.open }
}

const grace = { email: 'grace', password: '' }

describe('a client with a session', () => {
  it('opens a session after a login and a sign-up, and stores both tokens', async () => {
    const { items, store } = memoryStore()
    const tokens: unknown[] = []
    const { fetch, requests } = stubFetch(
      () => signedIn('login'),
      () => session('first', 'refresh.0', 201),
      () => signedIn('sign-up', 201),
      () => session('second', 'refresh.1', 201),
      noContent,
    )
    const onTokenChange = (token: unknown) => tokens.push(token)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store, onTokenChange })
    const { data } = await usher.login(credentials)
    expect([data?.token.jwt, usher.token]).toEqual(['login', 'first'])
    vi.setSystemTime(now + 70 * minutes)
    expect([usher.token, usher.expiresAt]).toEqual(['first', undefined])
    vi.setSystemTime(now)
    await usher.createUser(credentials)
    expect(usher.token).toBe('second')
    expect(tokens).toEqual(['login', 'first', 'sign-up', 'second'])
    expect(requests.map(({ url, headers }) => [url.split('/app/users')[1], headers.Authorization])).toEqual([
      ['/login', undefined],
      ['/me/session', 'Bearer login'],
      ['', undefined],
      ['/me/session', 'Bearer sign-up'],
      ['/session/end', undefined],
    ])
    expect([...items]).toEqual([['usher.demo.app.https_3a_2f_2fusers.example.com.session', 'refresh.1 ']])
  })

  it('opens a session after a password reset', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('reset'),
      () => session('first', 'refresh.0', 201),
    )
    const usher = createSessionClient({ ...app, fetch })
    await usher.resetPassword({ code: 'a code', newPassword: 'four random common words' })
    expect(usher.token).toBe('first')
    expect(requests.map(({ url }) => url.split('/app/users')[1])).toEqual([
      '/password-reset/confirm',
      '/me/session',
    ])
  })

  it.each([
    ['503', () => problem('unavailable')],
    ['no response', networkFailure],
  ])('tries again to open a session after %s', async (_name, failure) => {
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const { fetch } = stubFetch(
      () => signedIn('login'),
      failure,
      () => session('first', 'refresh.0', 201),
    )
    const usher = createSessionClient({ ...app, fetch })
    const login = usher.login(credentials)
    await vi.runAllTimersAsync()
    expect((await login).error).toBeUndefined()
    expect(usher.token).toBe('first')
  })

  it('is logged in without a session if none can be opened', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('login'),
      () => problem('session_not_opened'),
      () => problem('token_expired'),
    )
    const usher = createSessionClient({ ...app, fetch })
    expect((await usher.login(credentials)).error).toBeUndefined()
    expect(usher.token).toBe('login')
    expect((await usher.me()).error?.code).toBe('token_expired')
    expect([usher.token, requests.length]).toEqual([undefined, 3])
  })

  it('refreshes in the last third of the life of a token, before a call', async () => {
    const { usher, sent } = await openedClient({}, user, () => session('second', 'refresh.1'), user, user)
    vi.setSystemTime(now + 40 * minutes - 1)
    await usher.me()
    vi.setSystemTime(now + 40 * minutes)
    await usher.me()
    await usher.me()
    expect(sent()).toEqual([
      ['me', 'first', undefined],
      refreshWith('refresh.0'),
      ['me', 'second', undefined],
      ['me', 'second', undefined],
    ])
  })

  it('refreshes once after the clock was set back by hours, so that other servers get a valid token', async () => {
    const claims = Buffer.from(JSON.stringify({ iat: now / 1000, exp: now / 1000 + 3600 })).toString(
      'base64url',
    )
    const first = `header.${claims}.signature`
    const { fetch, requests } = stubFetch(
      () => signedIn('login'),
      () => session(first, 'refresh.0', 201),
      () => session('second', 'refresh.1'),
    )
    const usher = createSessionClient({ ...app, fetch })
    await usher.login(credentials)
    expect(await usher.getToken()).toBe(first)
    vi.setSystemTime(now - 180 * minutes)
    expect([await usher.getToken(), await usher.getToken()]).toEqual(['second', 'second'])
    expect(requests).toHaveLength(3)
  })

  it('refreshes once for concurrent calls', async () => {
    const { usher, sent } = await openedClient({}, () => session('second', 'refresh.1'), user, user, user)
    vi.setSystemTime(now + 50 * minutes)
    await Promise.all([usher.me(), usher.me(), usher.me()])
    expect(sent().map(([path]) => path)).toEqual(['session/refresh', 'me', 'me', 'me'])
  })

  it('refreshes when a page is opened again, with a token in memory and a session in a store', async () => {
    const { store } = memoryStore()
    await openedClient({ sessionStore: store })
    const { fetch, requests } = stubFetch(() => session('second', 'refresh.1'), user)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    expect(usher.token).toBeUndefined()
    expect((await usher.me()).data?.email).toBe(credentials.email)
    expect(requests[0]?.body).toBe('{"refreshToken":"refresh.0"}')
  })

  it.each(['token_expired', 'token_invalid'] as const)(
    'refreshes after %s, repeats the call once, and is logged out if the server refuses the new token too',
    async (code) => {
      const { items, store } = memoryStore()
      const { usher, sent } = await openedClient(
        { sessionStore: store },
        () => problem(code),
        () => session('second', 'refresh.1'),
        () => problem(code),
      )
      expect((await usher.me()).error?.code).toBe(code)
      expect(sent()).toEqual([
        ['me', 'first', undefined],
        refreshWith('refresh.0'),
        ['me', 'second', undefined],
      ])
      expect([usher.token, usher.state, items.size]).toEqual([undefined, 'signedOut', 0])
    },
  )

  it('does not report a token that it replaces as removed', async () => {
    const tokens: unknown[] = []
    const onTokenChange = (token: unknown) => tokens.push(token)
    const second = () => session('second', 'refresh.1')
    const { usher } = await openedClient({ onTokenChange }, () => problem('token_expired'), second, user)
    expect((await usher.me()).error).toBeUndefined()
    expect(tokens).toEqual(['login', 'first', 'second'])
  })

  it('is logged out when the session has ended', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient(
      { sessionStore: store },
      () => problem('token_invalid'),
      () => problem('session_ended'),
    )
    expect((await usher.me()).error?.code).toBe('token_invalid')
    expect([usher.token, usher.state, items.size]).toEqual([undefined, 'signedOut', 0])
    expect((await usher.me()).error?.code).toBe('token_missing')
    expect(sent()).toHaveLength(2)
  })

  it('verifies an address without a token after the session has ended', async () => {
    const { usher, sent } = await openedClient(
      {},
      () => problem('token_invalid'),
      () => problem('session_ended'),
      () => Response.json({ email: credentials.email }),
    )
    expect((await usher.verifyEmail({ code: 'code' })).error).toBeUndefined()
    expect(sent().map(([path, token]) => [path, token])).toEqual([
      ['email-verification', 'first'],
      ['session/refresh', undefined],
      ['email-verification', undefined],
    ])
  })

  it('keeps token and session if the refresh gets no response', async () => {
    const { usher, sent } = await openedClient(
      { retries: 0 },
      networkFailure,
      user,
      networkFailure,
      () => problem('token_expired'),
      networkFailure,
      () => session('second', 'refresh.1'),
      user,
    )
    vi.setSystemTime(now + 50 * minutes)
    expect((await usher.me()).error).toBeUndefined()
    vi.setSystemTime(now + 70 * minutes)
    expect((await usher.me()).error?.code).toBe('no_answer')
    expect(usher.token).toBe('first')
    expect((await usher.me()).error).toBeUndefined()
    expect(sent().map(([path]) => path)).toEqual([
      'session/refresh',
      'me',
      'session/refresh',
      'me',
      'session/refresh',
      'session/refresh',
      'me',
    ])
  })

  it('ends the session when the user signs out', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient({ sessionStore: store, tokenStore: store }, noContent)
    await usher.signOut()
    expect([usher.token, items.size]).toEqual([undefined, 0])
    expect(sent()).toEqual([['session/end', undefined, 'refresh.0']])
    await usher.signOut()
    expect(sent()).toHaveLength(1)
  })

  it('forgets the session when the caller sets the token', async () => {
    const { usher, sent } = await openedClient({}, () => problem('token_expired'))
    usher.token = 'other'
    await usher.me()
    expect(sent()).toEqual([['me', 'other', undefined]])
  })

  it('stays logged out if the user signs out during a refresh', async () => {
    const { items, store } = memoryStore()
    const { usher } = await openedClient(
      { sessionStore: store },
      async () => {
        await usher.signOut()
        return session('second', 'refresh.1')
      },
      noContent,
    )
    vi.setSystemTime(now + 50 * minutes)
    expect((await usher.me()).error?.code).toBe('token_missing')
    expect([usher.token, items.size]).toEqual([undefined, 0])
  })

  it('opens a new session when the password changes, which has ended the former one', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient(
      { sessionStore: store },
      () => signedIn('changed'),
      () => session('second', 'refresh.1', 201),
      user,
    )
    await usher.changePassword({ password: 'old', newPassword: 'new' })
    await usher.me()
    expect(usher.token).toBe('second')
    expect([...items.values()]).toEqual(['refresh.1 '])
    expect(sent().map(([path, token]) => [path, token])).toEqual([
      ['me/password', 'first'],
      ['me/session', 'changed'],
      ['me', 'second'],
    ])
  })

  it('opens no session when the password changes without one', async () => {
    const { fetch, requests } = stubFetch(() => signedIn('changed'))
    const usher = createSessionClient({ ...app, fetch, token: 'login' })
    await usher.changePassword({ password: 'old', newPassword: 'new' })
    expect([usher.token, requests.length]).toEqual(['changed', 1])
  })

  it('keeps the session when the server opens none after a change of the password', async () => {
    const { items, store } = memoryStore()
    const { usher } = await openedClient(
      { sessionStore: store },
      () => signedIn('changed'),
      () => problem('session_not_opened'),
    )
    await usher.changePassword({ password: 'old', newPassword: 'new' })
    expect([usher.token, ...items.values()]).toEqual(['changed', 'refresh.0 '])
  })

  it('stays logged in if a refresh finds that the change of the password has ended the session', async () => {
    const { items, store } = memoryStore()
    let read: Promise<unknown> | undefined
    let onRefresh = () => {}
    let onOpen = () => {}
    const refreshes = new Promise<void>((resolve) => {
      onRefresh = resolve
    })
    const opens = new Promise<void>((resolve) => {
      onOpen = resolve
    })
    const { usher } = await openedClient(
      { sessionStore: store },
      async () => {
        read = usher.me()
        await refreshes
        return signedIn('changed')
      },
      () => problem('token_invalid'),
      async () => {
        onRefresh()
        await opens
        return problem('session_ended')
      },
      async () => {
        onOpen()
        await read
        return session('second', 'refresh.1', 201)
      },
      user,
    )
    await usher.changePassword({ password: 'old', newPassword: 'new' })
    expect([usher.token, ...items.values()]).toEqual(['second', 'refresh.1 '])
    expect(await read).toMatchObject({ data: { email: credentials.email } })
  })

  it.each([
    ['succeeds', noContent],
    ['fails', networkFailure],
  ])('ends the former session after a login has opened another one, and if that %s', async (_case, end) => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient(
      { sessionStore: store, retries: 0 },
      () => signedIn('other'),
      () => session('second', 'refresh.1', 201),
      end,
    )
    expect((await usher.login(credentials)).error).toBeUndefined()
    expect([usher.token, ...items.values()]).toEqual(['second', 'refresh.1 '])
    expect(sent()).toEqual([
      ['login', undefined, undefined],
      ['me/session', 'other', undefined],
      ['session/end', undefined, 'refresh.0'],
    ])
  })

  it('ends the former session after a login that opens none, because its refresh token is lost', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient(
      { sessionStore: store },
      () => signedIn('other'),
      () => problem('session_not_opened'),
      noContent,
    )
    await usher.login(credentials)
    expect([usher.token, items.size]).toEqual(['other', 0])
    expect(sent().at(-1)).toEqual(['session/end', undefined, 'refresh.0'])
  })

  it('keeps the session after a login that fails', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient({ sessionStore: store }, () => problem('invalid_credentials'))
    await usher.login(credentials)
    expect([usher.token, ...items.values()]).toEqual(['first', 'refresh.0 '])
    expect(sent()).toHaveLength(1)
  })

  it('sends its label when it opens a session', async () => {
    const { requests } = await openedClient({ label: 'Ada’s phone' })
    expect(requests[1]).toMatchObject({ body: '{"label":"Ada’s phone"}' })
    const without = await openedClient({})
    expect(without.requests[1]?.body).toBe('{}')
  })

  it.each([
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    [
      'Chrome on Android',
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    ],
    [
      'Edge on Windows',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    ],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    ],
    [
      'Chrome on macOS',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    ],
    [
      'Firefox on iPad',
      'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
    ],
    ['Safari', 'Safari/1'],
    [undefined, 'Node.js/22'],
  ])('calls the device %s without a label', async (label, userAgent) => {
    vi.stubGlobal('navigator', { userAgent })
    onTestFinished(() => void vi.unstubAllGlobals())
    const { requests } = await openedClient({})
    expect(requests[1]?.body).toBe(JSON.stringify({ label }))
  })

  it.each([
    ['', 'empty'],
    [' ', ' '],
    ['x'.repeat(256), 'x'.repeat(256)],
    [5, '5'],
    [null, 'null'],
  ])('throws a TypeError for the label %j', (label, text) => {
    expect(() => createSessionClient({ ...app, label: label as never })).toThrow(
      new TypeError(`Usher client: label cannot be ${text}`),
    )
  })

  it('is logged out when it ends its own session by its ID, and not by that of another', async () => {
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient({ sessionStore: store }, noContent, noContent)
    await usher.endSessionById('other')
    expect([usher.token, items.size]).toEqual(['first', 1])
    await usher.endSessionById('refresh')
    expect([usher.token, items.size]).toEqual([undefined, 0])
    expect(sent().map(([path]) => path)).toEqual(['me/sessions/other', 'me/sessions/refresh'])
  })

  it('refreshes one at a time over all tabs where there are Web Locks', async () => {
    const { store } = memoryStore()
    const names: string[] = []
    let last: Promise<unknown> = Promise.resolve()
    const request = (name: string, work: () => Promise<unknown>) => {
      names.push(name)
      last = last.then(work)
      return last
    }
    vi.stubGlobal('navigator', { locks: { request } })
    const shared = { sessionStore: store, tokenStore: store }
    const { usher, requests } = await openedClient(shared, () => session('second', 'refresh.1'), user, user)
    const { fetch, requests: others } = stubFetch(user)
    const tab = createSessionClient({ ...app, fetch, ...shared })
    vi.setSystemTime(now + 50 * minutes)
    await Promise.all([usher.me(), tab.me()])
    expect(names).toEqual(Array(2).fill('usher.demo.app.https_3a_2f_2fusers.example.comrefresh'))
    expect(requests.slice(2).map(({ url }) => url.split('/users/')[1])).toEqual(['session/refresh', 'me'])
    expect(others.map(({ headers }) => headers.Authorization)).toEqual(['Bearer second'])
  })

  it('refreshes without Web Locks if the browser denies them', async () => {
    const denied = async () => Promise.reject(new DOMException('denied', 'SecurityError'))
    vi.stubGlobal('navigator', { locks: { request: denied } })
    const { usher, sent } = await openedClient({}, () => session('second', 'refresh.1'), user)
    vi.setSystemTime(now + 50 * minutes)
    expect((await usher.me()).error).toBeUndefined()
    expect(sent().map(([path]) => path)).toEqual(['session/refresh', 'me'])
  })

  it('uses the token of its refresh if another tab has stored the same refresh token without Web Locks', async () => {
    vi.stubGlobal('navigator', {})
    const { store } = memoryStore()
    const second = () => session('second', 'refresh.1')
    const { usher } = await openedClient({ sessionStore: store }, second, user)
    const third = async () => {
      await usher.me()
      return session('third', 'refresh.1')
    }
    const { fetch, requests } = stubFetch(third, user)
    const tab = createSessionClient({ ...app, fetch, sessionStore: store })
    vi.setSystemTime(now + 50 * minutes)
    await tab.me()
    expect(usher.token).toBe('second')
    expect(requests.map(({ url, headers }) => [url.split('/users/')[1], headers.Authorization])).toEqual([
      ['session/refresh', undefined],
      ['me', 'Bearer third'],
    ])
  })

  it('stays logged out if the user signs out while the session is opened', async () => {
    const { items, store } = memoryStore()
    const { fetch, requests } = stubFetch(
      () => signedIn('login'),
      async () => {
        await usher.signOut()
        return session('first', 'refresh.0', 201)
      },
      noContent,
    )
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    await usher.login(credentials)
    expect([usher.token, items.size]).toEqual([undefined, 0])
    expect(requests.slice(2).map(({ url, body }) => [url.split('/users/')[1], body])).toEqual([
      ['session/end', '{"refreshToken":"refresh.0"}'],
    ])
  })

  it.each([
    ['no_answer', networkFailure],
    ['unavailable', () => problem('unavailable')],
  ])('returns %s of the refresh when a page is opened again', async (code, failure) => {
    const { items, store } = memoryStore()
    await openedClient({ sessionStore: store })
    const { fetch, requests } = stubFetch(failure)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store, retries: 0 })
    expect((await usher.me()).error?.code).toBe(code)
    expect([usher.state, items.size, requests.length]).toEqual(['unknown', 1, 1])
  })

  it('returns a token for other servers, which it refreshes in the last third of its life', async () => {
    const { store } = memoryStore()
    const second = () => session('second', 'refresh.1')
    const { usher } = await openedClient({ sessionStore: store }, second, networkFailure)
    expect(await usher.getToken()).toBe('first')
    vi.setSystemTime(now + 40 * minutes)
    expect([usher.token, await usher.getToken(), usher.token]).toEqual(['first', 'second', 'second'])
  })

  it('refreshes its own token in memory, whenever another tab has refreshed the session', async () => {
    const { store } = memoryStore()
    const { usher } = await openedClient({ sessionStore: store }, () => session('third', 'refresh.2'))
    const { fetch } = stubFetch(() => session('second', 'refresh.1'))
    const tab = createSessionClient({ ...app, fetch, sessionStore: store })
    vi.setSystemTime(now + 30 * minutes)
    expect(await tab.getToken()).toBe('second')
    vi.setSystemTime(now + 40 * minutes)
    expect(await Promise.all([usher.getToken(), tab.getToken()])).toEqual(['third', 'second'])
  })

  it.each(['endAllSessions', 'deleteMe'] as const)('is logged out by %s', async (operation) => {
    const { items, store } = memoryStore()
    const tokens: unknown[] = []
    const onTokenChange = (token: unknown) => tokens.push(token)
    const failed = () => problem('unavailable')
    const { usher } = await openedClient(
      { sessionStore: store, retries: 0, onTokenChange },
      failed,
      noContent,
    )
    await usher[operation]({ password: 'a password' } as never)
    expect([usher.token, items.size]).toEqual(['first', 1])
    await usher[operation]({ password: 'a password' } as never)
    expect([usher.token, items.size]).toEqual([undefined, 0])
    expect(tokens).toEqual(['login', 'first', undefined])
  })

  it('refreshes its token after endOtherSessions, which has revoked it', async () => {
    const { usher, sent } = await openedClient({}, noContent, () => session('second', 'refresh.1'))
    expect((await usher.endOtherSessions()).error).toBeUndefined()
    expect(usher.token).toBe('second')
    expect(sent()).toEqual([['me/sessions/others', 'first', undefined], refreshWith('refresh.0')])
  })

  it('works where window has no events, as in React Native', () => {
    vi.stubGlobal('window', {})
    const { store } = memoryStore()
    expect(createSessionClient({ ...app, sessionStore: store }).token).toBeUndefined()
  })

  it('throws a TypeError that names an impossible sessionStore', () => {
    expect(() => createSessionClient({ ...app, sessionStore: 'localStorage' as never })).toThrow(
      new TypeError('Usher client: sessionStore cannot be localStorage'),
    )
  })

  it('removes a token in memory when another tab ends or replaces the session', async () => {
    let listener: () => void = () => {}
    const addEventListener = (_type: string, added: () => void) => {
      listener = added
    }
    vi.stubGlobal('window', { addEventListener })
    const { items, store } = memoryStore()
    const tokens: unknown[] = []
    const onTokenChange = (token: unknown) => tokens.push(token)
    const { usher } = await openedClient({ sessionStore: store, onTokenChange })
    items.set('another key', '')
    listener()
    expect(usher.token).toBe('first')
    items.clear()
    listener()
    await vi.waitFor(() => expect(usher.token).toBeUndefined(), 10_000)
    expect(tokens).toEqual(['login', 'first', undefined])
  })

  it('stays logged out if another tab logs out while a login waits', async () => {
    const tab = new EventTarget()
    vi.stubGlobal('window', { addEventListener: tab.addEventListener.bind(tab) })
    const { items, store } = memoryStore()
    const { usher, sent } = await openedClient({ sessionStore: store }, async () => {
      items.clear()
      tab.dispatchEvent(new Event('storage'))
      await vi.waitFor(() => expect(usher.token).toBeUndefined(), 10_000)
      return signedIn('second')
    })
    await usher.login(credentials)
    expect([usher.state, items.size]).toEqual(['signedOut', 0])
    expect(sent()).toEqual([['login', undefined, undefined]])
  })

  it('verifies an address with the token of a refresh when a page is opened again', async () => {
    const { store } = memoryStore()
    await openedClient({ sessionStore: store })
    const verified = () => Response.json({ email: credentials.email })
    const { fetch, requests } = stubFetch(() => session('second', 'refresh.1'), verified)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    expect((await usher.verifyEmail({ code: 'code' })).error).toBeUndefined()
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual([undefined, 'Bearer second'])
  })
})

describe('an asynchronous store of a session', () => {
  it('keeps the session if it cannot be read, such as on a locked device', async () => {
    const { items, store } = memoryStore()
    await openedClient({ sessionStore: store })
    const getItem = vi.fn(async (key: string) => store.getItem(key))
    getItem.mockRejectedValueOnce(new Error('The user has cancelled'))
    const sessionStore = { ...store, getItem }
    const { fetch } = stubFetch(() => session('second', 'refresh.1'), user)
    const locked = createSessionClient({ ...app, fetch, sessionStore })
    expect((await locked.me()).error?.code).toBe('token_missing')
    expect([locked.state, items.size]).toEqual(['signedOut', 1])
    const usher = createSessionClient({ ...app, fetch, sessionStore })
    expect((await usher.me()).error).toBeUndefined()
  })

  it('is read for a login, which ends the former session', async () => {
    const { items, store } = memoryStore()
    await openedClient({ sessionStore: store })
    const sessionStore = {
      getItem: async (key: string) => store.getItem(key),
      setItem: async (key: string, value: string) => store.setItem(key, value),
      removeItem: async (key: string) => store.removeItem(key),
    }
    const { fetch, requests } = stubFetch(
      () => signedIn('other'),
      () => session('second', 'other.0', 201),
      noContent,
    )
    await createSessionClient({ ...app, fetch, sessionStore }).login(credentials)
    expect([...items.values(), requests[2]?.body]).toEqual(['other.0 ', '{"refreshToken":"refresh.0"}'])
  })
})

describe('the state of a client with a session', () => {
  const watch = (usher: Client) => {
    const states = [usher.state]
    usher.subscribe(() => states.push(usher.state))
    return states
  }
  /** Returns a store with a refresh token, as a page has left it. */
  async function leftStore() {
    const { store, items } = memoryStore()
    await openedClient({ sessionStore: store })
    return { store, items }
  }

  it('is signedOut immediately and sends nothing if no session is stored', async () => {
    const { fetch, requests } = stubFetch()
    for (const sessionStore of [undefined, memoryStore().store, () => memoryStore().store]) {
      const usher = createSessionClient({ ...app, fetch, sessionStore })
      const states = watch(usher)
      expect([await usher.getToken(), (await usher.me()).error?.code]).toEqual([undefined, 'token_missing'])
      expect(states).toEqual(['signedOut'])
    }
    expect(requests).toEqual([])
  })

  it('is unknown when a page is opened again, until the session is refreshed', async () => {
    const { store } = await leftStore()
    const { fetch } = stubFetch(() => session('second', 'refresh.1'), user)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const states = watch(usher)
    await usher.me()
    expect(states).toEqual(['unknown', 'signedIn'])
  })

  it('is unknown when a page is opened again, and signedOut once the server has ended the session', async () => {
    const { store, items } = await leftStore()
    const { fetch, requests } = stubFetch(() => problem('session_ended'))
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const states = watch(usher)
    expect((await usher.me()).error?.code).toBe('token_missing')
    expect(states).toEqual(['unknown', 'signedOut'])
    expect([items.size, requests.length]).toEqual([0, 1])
  })

  it('is signedIn when a page is opened again with a stored token', async () => {
    const { store } = memoryStore()
    await openedClient({ sessionStore: store, tokenStore: store })
    const usher = createSessionClient({ ...app, sessionStore: store, tokenStore: store })
    expect(usher.state).toBe('signedIn')
  })

  it.each([
    ['signedOut without a session', false, ['unknown', 'signedOut'], 0],
    ['signedIn after a refresh', true, ['unknown', 'signedIn'], 2],
  ])('is unknown until an asynchronous store is read, then %s', async (_case, isLeft, expected, count) => {
    const { store } = isLeft ? await leftStore() : memoryStore()
    const sessionStore = {
      getItem: async (key: string) => store.getItem(key),
      setItem: async (key: string, value: string) => store.setItem(key, value),
      removeItem: async (key: string) => store.removeItem(key),
    }
    const { fetch, requests } = stubFetch(() => session('second', 'refresh.1'), user)
    const usher = createSessionClient({ ...app, fetch, sessionStore })
    const states = watch(usher)
    await usher.me()
    expect(states).toEqual(expected)
    expect(requests).toHaveLength(count)
  })

  it.each(['endAllSessions', 'deleteMe', 'signOut'] as const)(
    'changes from signedIn to signedOut by %s, without unknown between',
    async (operation) => {
      const { usher } = await openedClient({ sessionStore: memoryStore().store }, noContent)
      const states = watch(usher)
      await usher[operation]({ password: 'a password' } as never)
      expect(states).toEqual(['signedIn', 'signedOut'])
    },
  )

  it('follows logins and log-outs of other tabs', async () => {
    const tab = new EventTarget()
    const addEventListener = tab.addEventListener.bind(tab)
    vi.stubGlobal('window', { addEventListener })
    vi.stubGlobal('addEventListener', addEventListener)
    const { store, items } = memoryStore()
    const changed = async (expected: string) => {
      tab.dispatchEvent(new Event('storage'))
      await vi.waitFor(() => expect(states.at(-1)).toBe(expected), 10_000)
    }
    const { fetch } = stubFetch(() => session('second', 'refresh.1'), user)
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const states = watch(usher)
    const other = (await openedClient({ sessionStore: store }, noContent)).usher
    await changed('unknown')
    await usher.me()
    expect(usher.state).toBe('signedIn')
    await other.signOut()
    await changed('signedOut')
    expect(states).toEqual(['signedOut', 'unknown', 'signedIn', 'signedOut'])
    expect(items.size).toBe(0)
  })
})

describe('a client whose login changes while requests wait', () => {
  const jwtOf = (sub: string) =>
    `header.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.signature`
  const byGrace = jwtOf('grace')

  it('keeps the session of a changed password when the response of a refresh arrives late', async () => {
    const { items, store } = memoryStore()
    const sends = newGate()
    const responds = newGate()
    let read: Promise<unknown> | undefined
    const { usher, sent } = await openedClient(
      { sessionStore: store },
      async () => {
        vi.setSystemTime(now + 50 * minutes)
        read = usher.getToken()
        await sends.opened
        return signedIn('changed')
      },
      async () => {
        sends.open()
        await responds.opened
        return session('late', 'refresh.1')
      },
      async () => {
        responds.open()
        await read
        return session('second', 'other-0', 201)
      },
      noContent,
    )
    await usher.changePassword({ password: 'old', newPassword: 'new' })
    expect([usher.token, ...items.values()]).toEqual(['second', 'other-0 '])
    expect(sent().map(([path]) => path)).toEqual(['me/password', 'session/refresh', 'me/session'])
  })

  it('stays logged out if the caller removes the token while an asynchronous store saves the session', async () => {
    const { items, store } = memoryStore()
    const saves = newGate()
    const saved = newGate()
    const sessionStore = {
      getItem: store.getItem,
      removeItem: async (key: string) => store.removeItem(key),
      async setItem(key: string, value: string) {
        if (value === 'refresh.1 ') {
          saves.open()
          await saved.opened
        }
        store.setItem(key, value)
      },
    }
    const { usher } = await openedClient({ sessionStore }, () => session('second', 'refresh.1'))
    vi.setSystemTime(now + 50 * minutes)
    const read = usher.getToken()
    await saves.opened
    usher.token = undefined
    saved.open()
    expect([await read, usher.token, items.size]).toEqual([undefined, undefined, 0])
  })

  it('does not send a call that waits for a refresh as a user who logs in meanwhile', async () => {
    const sends = newGate()
    const responds = newGate()
    const { usher, sent } = await openedClient(
      {},
      async () => {
        sends.open()
        await responds.opened
        return session('late', 'refresh.1')
      },
      () => signedIn(byGrace),
      () => session(byGrace, 'grace-0', 201),
      noContent,
    )
    vi.setSystemTime(now + 50 * minutes)
    const update = usher.updateMe({ preferredName: 'Countess' })
    const token = usher.getToken()
    await sends.opened
    await usher.login(credentials)
    responds.open()
    expect((await update).error?.code).toBe('token_missing')
    expect([await token, usher.token]).toEqual([undefined, byGrace])
    expect(sent().map(([path]) => path)).not.toContain('me')
  })

  it('does not send such a call when a page is opened again, and not while the login opens a session', async () => {
    const { store } = memoryStore()
    await openedClient({ sessionStore: store })
    const sends = newGate()
    const responds = newGate()
    const { fetch, requests } = stubFetch(
      async () => {
        sends.open()
        await responds.opened
        return session('late', 'refresh.1')
      },
      () => signedIn(byGrace),
      async () => {
        responds.open()
        expect((await update).error?.code).toBe('token_missing')
        return session(byGrace, 'grace-0', 201)
      },
      noContent,
    )
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const update = usher.updateMe({ preferredName: 'Countess' })
    await sends.opened
    await usher.login(credentials)
    expect(usher.token).toBe(byGrace)
    expect(requests).toHaveLength(4)
  })

  it('does not send a refused call as a user who has logged in another tab meanwhile', async () => {
    const { store } = memoryStore()
    const byAda = jwtOf('ada')
    const { fetch, requests } = stubFetch(
      () => signedIn(byAda),
      () => session(byAda, 'ada-0', 201),
      () => {
        store.setItem('usher.demo.app.https_3a_2f_2fusers.example.com.session', 'grace-0 ')
        return problem('token_invalid')
      },
      () => session(byGrace, 'grace-1'),
    )
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    await usher.login(credentials)
    expect((await usher.updateMe({ preferredName: 'Countess' })).error?.code).toBe('token_invalid')
    expect([usher.token, requests.length]).toEqual([byGrace, 4])
  })

  it('refreshes the session of another tab while the refresh of the former one waits', async () => {
    const { items, store } = memoryStore()
    await openedClient({ sessionStore: store })
    const sends = newGate()
    const responds = newGate()
    const { fetch } = stubFetch(
      async () => {
        sends.open()
        await responds.opened
        return session('late', 'refresh.1')
      },
      () => session(byGrace, 'grace.1'),
      user,
    )
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const former = usher.getToken()
    await sends.opened
    for (const key of items.keys()) store.setItem(key, 'grace.0 ')
    const read = usher.me()
    await vi.waitFor(() => expect(usher.token).toBe(byGrace))
    responds.open()
    expect([await former, (await read).error, usher.token]).toEqual([undefined, undefined, byGrace])
  })

  it.each(['login', 'changePassword'] as const)(
    'stays logged out if the user signs out while %s waits for its response',
    async (operation) => {
      const { items, store } = memoryStore()
      const tokens: unknown[] = []
      const onTokenChange = (token: unknown) => tokens.push(token)
      const { usher, sent } = await openedClient(
        { sessionStore: store, onTokenChange },
        async () => {
          await usher.signOut()
          return signedIn('late')
        },
        noContent,
      )
      await usher[operation]({ ...credentials, newPassword: 'new' })
      expect([usher.token, usher.state, items.size]).toEqual([undefined, 'signedOut', 0])
      expect(tokens).toEqual(['login', 'first', undefined])
      expect(sent()).toHaveLength(2)
    },
  )

  it('stays logged out if the caller removes the token immediately after the call of a login', async () => {
    const { usher } = await openedClient({}, () => signedIn('late'))
    const login = usher.login(credentials)
    usher.token = undefined
    await login
    expect(usher.token).toBeUndefined()
  })

  it('logs in after a sign-out whose request waits for its response', async () => {
    const { items, store } = memoryStore()
    const ends = newGate()
    const ended = newGate()
    const { usher } = await openedClient(
      { sessionStore: store },
      async () => {
        ends.open()
        await ended.opened
        return noContent()
      },
      () => signedIn('other'),
      () => session('second', 'other.0', 201),
    )
    const signOut = usher.signOut()
    await ends.opened
    await usher.login(credentials)
    ended.open()
    await signOut
    expect([usher.token, ...items.values()]).toEqual(['second', 'other.0 '])
  })

  it('logs in with a call immediately after that of a sign-out', async () => {
    const { usher } = await openedClient(
      {},
      () => signedIn('other'),
      noContent,
      () => session('second', 'other.0', 201),
    )
    await Promise.all([usher.signOut(), usher.login(credentials)])
    expect(usher.token).toBe('second')
  })

  it.each([
    ['the first one', 0],
    ['the second one', 1],
  ])('ends all sessions but one after two concurrent logins of which %s is slower', async (_name, slower) => {
    const { items, store } = memoryStore()
    const gates = [newGate(), newGate()]
    const open = new Set<string>()
    const fetch = async (url: string, { headers, body = '{}' }: FetchInit) => {
      const { email, refreshToken } = JSON.parse(body)
      if (email) {
        await gates[Number(email)]?.opened
        return signedIn(email)
      }
      if (url.endsWith('/end')) {
        open.delete(refreshToken)
        return noContent()
      }
      const jwt = headers.Authorization?.split(' ')[1] ?? ''
      open.add(`${jwt}.0`)
      return session(jwt, `${jwt}.0`, 201)
    }
    const usher = createSessionClient({ ...app, fetch, sessionStore: store })
    const logins = [0, 1].map((email) => usher.login({ email: String(email), password: '' }))
    gates[1 - slower]?.open()
    await logins[1 - slower]
    gates[slower]?.open()
    await Promise.all(logins)
    expect([usher.token, ...items.values(), ...open]).toEqual(['1', '1.0 ', '1.0'])
  })

  it.each([
    ['endAllSessions', 'before'],
    ['endAllSessions', 'after'],
    ['deleteMe', 'before'],
    ['deleteMe', 'after'],
  ] as const)('is logged out by %s if a refresh responds %s it', async (operation, order) => {
    const { items, store } = memoryStore()
    const refreshed = newGate()
    let read: Promise<unknown> | undefined
    const { usher } = await openedClient(
      { sessionStore: store },
      async () => {
        vi.setSystemTime(now + 50 * minutes)
        read = usher.getToken()
        if (order === 'before') {
          refreshed.open()
          await read
        }
        return noContent()
      },
      async () => {
        await refreshed.opened
        return session('late', 'refresh.1')
      },
    )
    const end = usher[operation]({ password: 'a password' } as never)
    await vi.waitFor(() => expect(read).toBeDefined(), 10_000)
    if (order === 'after') await new Promise(setImmediate)
    refreshed.open()
    await Promise.all([end, read])
    expect([usher.token, usher.state, items.size]).toEqual([undefined, 'signedOut', 0])
  })

  it.each([
    ['endSessionById', 'refresh'],
    ['endAllSessions', undefined],
    ['deleteMe', { password: 'a password' }],
  ] as const)(
    'stays logged in if a user logs in while %s of the former one waits for its response',
    async (operation, parameter) => {
      const { usher } = await openedClient(
        {},
        async () => {
          await usher.login(credentials)
          return noContent()
        },
        () => signedIn(byGrace),
        () => session(byGrace, 'grace-0', 201),
        noContent,
      )
      await usher[operation](parameter as never)
      expect(usher.token).toBe(byGrace)
    },
  )

  it('forgets the session of the former user if onTokenChange throws when another one logs in', async () => {
    const { items, store } = memoryStore()
    const onTokenChange = (token: unknown) => {
      if (token === byGrace) throw new Error('mine')
    }
    const { usher } = await openedClient(
      { sessionStore: store, onTokenChange },
      () => signedIn(byGrace),
      () => session(jwtOf('ada'), 'refresh.1'),
    )
    await expect(usher.login(credentials)).rejects.toThrow('mine')
    vi.setSystemTime(now + 50 * minutes)
    await usher.getToken()
    expect([usher.token, items.size]).toEqual([byGrace, 0])
  })

  it.each(['deleteMe', 'endAllSessions', 'changePassword'] as const)(
    'logs in with a call immediately after that of %s',
    async (operation) => {
      const { store } = slowStore()
      const responds = newGate()
      const { fetch } = newServer((path) => path === 'login' && responds.opened)
      const usher = createSessionClient({ ...app, fetch, token: 'ada', sessionStore: store })
      const former = usher[operation]({ password: 'old', newPassword: 'new' })
      const login = usher.login(grace)
      expect((await former).error).toBeUndefined()
      responds.open()
      await login
      expect([usher.token, usher.state]).toEqual(['grace', 'signedIn'])
    },
  )

  it('stays logged in if a user logs in while endAllSessions of the former one reads the store', async () => {
    const { sessionStore, endReads } = slowStore()
    const senders: string[] = []
    const { fetch } = newServer((path, jwt) => void (path === 'me/sessions' && senders.push(jwt)))
    const usher = createSessionClient({ ...app, fetch, token: 'ada', sessionStore })
    const end = usher.endAllSessions()
    await new Promise(setImmediate)
    const login = usher.login(grace)
    await vi.waitFor(() => expect(usher.token).toBe('grace'), 10_000)
    endReads()
    await Promise.all([end, login])
    expect([usher.token, usher.state, senders]).toEqual(['grace', 'signedIn', ['ada']])
  })

  it.each<[string, string[], (usher: Client) => Promise<unknown>[]]>([
    ['a login', ['grace.0'], (usher) => [usher.login(grace)]],
    ['a login after signOut', ['grace.0'], (usher) => [usher.signOut(), usher.login(grace)]],
    ['signOut after a login', [], (usher) => [usher.login(grace), usher.signOut()]],
  ])(
    'ends the former session by %s, although the store is slower than the server',
    async (_name, left, act) => {
      const { items, sessionStore, endReads } = slowStore()
      const { fetch, sessions } = newServer()
      const usher = createSessionClient({ ...app, fetch, sessionStore })
      const calls = act(usher)
      await new Promise(setImmediate)
      endReads()
      await Promise.all(calls)
      expect([...sessions]).toEqual(left)
      expect([...items.values()]).toEqual(left.map((refreshToken) => `${refreshToken} `))
    },
  )

  it('ends both sessions by signOut after a login has stored its token while the store is read', async () => {
    const { items, sessionStore, endReads } = slowStore()
    const { fetch, sessions } = newServer()
    const usher = createSessionClient({ ...app, fetch, sessionStore })
    const login = usher.login(grace)
    await vi.waitFor(() => expect(usher.token).toBe('grace'), 10_000)
    const signOut = usher.signOut()
    endReads()
    await Promise.all([login, signOut])
    expect([usher.state, ...sessions, ...items.values()]).toEqual(['signedOut'])
  })

  it('ends the session of a login that responds while a later change of the password waits', async () => {
    const { items, store } = slowStore()
    const responds = newGate()
    const { fetch, sessions } = newServer(async (path, jwt) => {
      if (path === 'me/password') await responds.opened
      return path === 'me/session' && jwt === 'changed' && problem('session_not_opened')
    })
    const usher = createSessionClient({ ...app, fetch, token: 'ada', sessionStore: store })
    const login = usher.login(grace)
    const change = usher.changePassword({ password: 'old', newPassword: 'new' })
    await login
    expect([usher.token, ...sessions]).toEqual(['grace', 'grace.0'])
    responds.open()
    await change
    expect([usher.token, ...sessions, ...items.values()]).toEqual(['changed'])
  })
})
