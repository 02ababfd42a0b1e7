import { problems } from '@usher/contract'
import { type Client, createClient, type TokenStore, UsherError } from '@usher/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newGate } from '../support/gate.js'
import {
  app,
  credentials,
  memoryStore,
  networkFailure,
  problem,
  proxyPage,
  signedIn,
  stubFetch,
  user,
} from './stub-fetch.js'

const now = Date.parse('2026-03-01T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('the token', () => {
  it('keeps the token of the latest sign-up or login, with its expiry by the local clock', async () => {
    const { fetch } = stubFetch(
      () => signedIn('first', 201),
      () => {
        vi.setSystemTime(now + 20_000)
        return signedIn('second')
      },
    )
    const usher = createClient({ ...app, fetch })
    expect([usher.token, usher.expiresAt]).toEqual([undefined, undefined])
    await usher.createUser(credentials)
    expect([usher.token, usher.expiresAt]).toEqual(['first', new Date(now + 3_600_000)])
    vi.setSystemTime(now + 10_000)
    await usher.login(credentials)
    expect([usher.token, usher.expiresAt]).toEqual(['second', new Date(now + 3_610_000)])
  })

  it('sends the token with me', async () => {
    const { fetch, requests } = stubFetch(() => signedIn('jwt'), user)
    const usher = createClient({ ...app, fetch })
    await usher.login(credentials)
    await usher.me()
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual([undefined, 'Bearer jwt'])
  })

  it('sends no request that needs a token if there is none, and returns the error of the server', async () => {
    const { fetch, requests } = stubFetch()
    const usher = createClient({ ...app, fetch })
    const calls = [usher.me(), usher.listSessions(), usher.deleteMe({ password: 'a password' })]
    for (const { data, error } of await Promise.all(calls)) {
      expect(data).toBeUndefined()
      expect(error).toBeInstanceOf(UsherError)
      expect(error).toMatchObject({
        ...(({ status, title }) => ({ status, title }))(problems.token_missing),
        code: 'token_missing',
        errors: [],
        requestId: undefined,
      })
    }
    expect(requests).toEqual([])
  })

  it('verifies an address with the token, and without it if the server refuses it', async () => {
    const verified = () => Response.json({ email: credentials.email })
    const { fetch, requests } = stubFetch(verified, () => problem('token_expired'), verified)
    const usher = createClient({ ...app, fetch, token: 'jwt' })
    for (let call = 0; call < 2; call++)
      expect((await usher.verifyEmail({ code: 'code' })).data?.email).toBe(credentials.email)
    const sent = requests.map(({ headers }) => headers.Authorization)
    expect(sent).toEqual(['Bearer jwt', 'Bearer jwt', undefined])
    expect(usher.token).toBeUndefined()
  })

  it('stays logged in if the code to verify an address is of another user', async () => {
    const { fetch, requests } = stubFetch(() => problem('code_invalid'))
    const usher = createClient({ ...app, fetch, token: 'jwt' })
    expect((await usher.verifyEmail({ code: 'code' })).error?.code).toBe('code_invalid')
    expect([usher.token, requests.length]).toEqual(['jwt', 1])
  })

  it('hides an expired token but sends it, because the server decides', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('jwt'),
      () => problem('token_expired'),
    )
    const usher = createClient({ ...app, fetch })
    await usher.login(credentials)
    vi.setSystemTime(now + 3_600_001)
    expect([usher.token, usher.expiresAt]).toEqual([undefined, new Date(now + 3_600_000)])
    expect((await usher.me()).error?.code).toBe('token_expired')
    expect(requests[1]?.headers.Authorization).toBe('Bearer jwt')
  })

  it('accepts a given, set and cleared token, whose expiry is undefined', () => {
    const usher = createClient({ ...app, token: 'given' })
    expect([usher.token, usher.expiresAt]).toEqual(['given', undefined])
    usher.token = 'set'
    expect([usher.token, usher.expiresAt]).toEqual(['set', undefined])
    usher.token = undefined
    expect([usher.token, usher.expiresAt]).toEqual([undefined, undefined])
  })

  it('keeps the token when a login fails', async () => {
    const { fetch } = stubFetch(() => problem('invalid_credentials'))
    const usher = createClient({ ...app, fetch, token: 'jwt' })
    await usher.login(credentials)
    expect(usher.token).toBe('jwt')
  })
})

describe('a login while requests wait', () => {
  const operations = [
    ['createUser', 201, (usher: Client) => usher.createUser(credentials)],
    ['login', 200, (usher: Client) => usher.login(credentials)],
    ['resetPassword', 200, (usher: Client) => usher.resetPassword({ code: 'code', newPassword: 'new' })],
    ['changePassword', 200, (usher: Client) => usher.changePassword({ password: 'old', newPassword: 'new' })],
    ['openSession', 201, (usher: Client) => usher.openSession()],
    ['refreshSession', 200, (usher: Client) => usher.refreshSession({ refreshToken: 'refresh.0' })],
  ] as const

  it.each(operations)(
    'ends with a sign-out, also if the response of %s arrives later',
    async (_name, status, operation) => {
      const signOuts = [
        (usher: Client) => usher.signOut(),
        (usher: Client) => {
          usher.token = undefined
        },
      ]
      for (const signOut of signOuts) {
        const onTokenChange = vi.fn()
        const { fetch } = stubFetch(async () => {
          await signOut(usher)
          return signedIn('late', status)
        })
        const usher = createClient({ ...app, fetch, token: 'jwt', onTokenChange })
        expect((await operation(usher)).data?.token.jwt).toBe('late')
        expect([usher.token, usher.state]).toEqual([undefined, 'signedOut'])
        expect(onTokenChange.mock.calls).toEqual([[undefined]])
      }
    },
  )

  it.each([
    [
      'the login that was called last, whatever the order of the responses',
      () => signedIn('second'),
      'second',
    ],
    ['the first login if a later one fails', () => problem('invalid_credentials'), 'first'],
  ] as const)('is that of %s', async (_which, second, expected) => {
    const first = newGate()
    const { fetch } = stubFetch(async () => {
      await first.opened
      return signedIn('first')
    }, second)
    const usher = createClient({ ...app, fetch })
    const login = usher.login(credentials)
    await usher.login(credentials)
    first.open()
    expect((await login).error).toBeUndefined()
    expect(usher.token).toBe(expected)
  })

  it.each(['endAllSessions', 'deleteMe'] as const)(
    'ends with %s if it was called later, and not if it was called earlier',
    async (operation) => {
      const end = (usher: Client) => usher[operation]({ password: 'a password' } as never)
      const before = createClient({
        ...app,
        token: 'jwt',
        ...stubFetch(
          async () => {
            await end(before)
            return signedIn('late')
          },
          () => new Response(null, { status: 204 }),
        ),
      })
      await before.login(credentials)
      expect(before.token).toBeUndefined()
      let login: Promise<unknown> | undefined
      const ended = newGate()
      const after = createClient({
        ...app,
        token: 'jwt',
        ...stubFetch(
          () => {
            login = after.login(credentials)
            return new Response(null, { status: 204 })
          },
          async () => {
            await ended.opened
            return signedIn('late')
          },
        ),
      })
      await end(after)
      expect(after.token).toBeUndefined()
      ended.open()
      await login
      expect(after.token).toBe('late')
    },
  )

  const refreshed = async () =>
    Response.json({ ...(await signedIn('refreshed').json()), refreshToken: { value: 'refresh.1' } })

  it.each([
    ['me', () => problem('token_invalid'), undefined],
    ['refreshSession', refreshed, 'refreshed'],
  ] as const)(
    'is that of a changed password, whatever %s returns meanwhile',
    async (name, respond, expected) => {
      const { fetch } = stubFetch(async () => {
        await usher[name]({ refreshToken: 'refresh.0' } as never)
        expect(usher.token).toBe(expected)
        return signedIn('changed')
      }, respond)
      const usher = createClient({ ...app, fetch, token: 'jwt' })
      await usher.changePassword({ password: 'old', newPassword: 'new' })
      expect(usher.token).toBe('changed')
    },
  )
})

describe('401 responses to me', () => {
  it.each(['token_missing', 'token_invalid', 'token_expired'] as const)(
    'clears the token after %s',
    async (code) => {
      const onTokenChange = vi.fn()
      const usher = createClient({
        ...app,
        token: 'jwt',
        onTokenChange,
        fetch: stubFetch(() => problem(code)).fetch,
      })
      expect((await usher.me()).error?.code).toBe(code)
      expect(usher.token).toBeUndefined()
      expect(onTokenChange.mock.calls).toEqual([[undefined]])
    },
  )

  it('keeps a token that a login set in the meantime', async () => {
    const onTokenChange = vi.fn()
    const { fetch } = stubFetch(
      async () => {
        await usher.login(credentials)
        return problem('token_expired')
      },
      () => signedIn('new'),
    )
    const usher = createClient({ ...app, token: 'old', fetch, onTokenChange })
    expect((await usher.me()).error?.code).toBe('token_expired')
    expect(usher.token).toBe('new')
    expect(onTokenChange.mock.calls).toEqual([['new']])
  })

  it.each([
    ['a network error', networkFailure],
    ['503', () => problem('unavailable')],
    ['404', () => problem('database_not_found')],
    ['a proxy’s page', () => proxyPage(502)],
    ['a proxy’s login page', () => proxyPage(401)],
  ])('keeps the token after %s', async (_name, respond) => {
    const usher = createClient({ ...app, token: 'jwt', retries: 0, fetch: stubFetch(respond).fetch })
    await usher.me()
    expect(usher.token).toBe('jwt')
  })
})

describe('onTokenChange', () => {
  it('calls onTokenChange only when the token changes', async () => {
    const onTokenChange = vi.fn()
    const { fetch } = stubFetch(
      () => signedIn('first', 201),
      () => signedIn('second'),
      user,
      () => problem('token_invalid'),
      () => problem('token_expired'),
    )
    const usher = createClient({ ...app, fetch, onTokenChange })
    await usher.createUser(credentials)
    await usher.login(credentials)
    await usher.me()
    usher.token = 'third'
    usher.token = 'third'
    await usher.me()
    await usher.me()
    usher.token = ''
    expect(onTokenChange.mock.calls).toEqual([['first'], ['second'], ['third'], [undefined]])
  })

  it('calls onTokenChange after it has stored the new token', async () => {
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const seen: unknown[] = []
    const usher = createClient({
      ...app,
      fetch,
      onTokenChange: () => seen.push(usher.token, usher.expiresAt),
    })
    await usher.login(credentials)
    expect(seen).toEqual(['jwt', new Date(now + 3_600_000)])
  })

  it('throws the error of onTokenChange where the token is set', async () => {
    const onTokenChange = () => {
      throw new Error('mine')
    }
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const usher = createClient({ ...app, fetch, onTokenChange })
    await expect(usher.login(credentials)).rejects.toThrow('mine')
    expect(() => {
      usher.token = undefined
    }).toThrow('mine')
  })

  it('does not call onTokenChange for the initial token', () => {
    const onTokenChange = vi.fn()
    createClient({ ...app, token: 'jwt', onTokenChange })
    expect(onTokenChange).not.toHaveBeenCalled()
  })
})

describe('token stores', () => {
  it('restores token and expiry in a new client', async () => {
    const { store, items } = memoryStore()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await createClient({ ...app, fetch, tokenStore: store }).login(credentials)
    const later = createClient({ ...app, tokenStore: store })
    expect([later.token, later.expiresAt]).toEqual(['jwt', new Date(now + 3_600_000)])
    later.token = undefined
    expect(items.size).toBe(0)
  })

  it('shows changes of the token to all clients that share a store', async () => {
    const { store } = memoryStore()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const one = createClient({ ...app, fetch, tokenStore: store })
    const other = createClient({ ...app, tokenStore: store })
    await one.login(credentials)
    expect(other.token).toBe('jwt')
    other.token = undefined
    expect([one.token, one.expiresAt]).toEqual([undefined, undefined])
  })

  it('keeps the tokens of different databases and servers separate', () => {
    const { store } = memoryStore()
    const usher = createClient({ ...app, tokenStore: store, token: 'jwt' })
    for (const other of [{ database: 'b' }, { workspace: 'b' }, { baseUrl: 'https://b.example' }]) {
      expect(createClient({ ...app, ...other, tokenStore: store }).token).toBeUndefined()
    }
    expect(usher.token).toBe('jwt')
  })

  it('prefers a given token to the stored one, and keeps the expiry if both are equal', async () => {
    const { store } = memoryStore()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await createClient({ ...app, fetch, tokenStore: store }).login(credentials)
    expect(createClient({ ...app, tokenStore: store, token: 'jwt' }).expiresAt).toBeDefined()
    expect(createClient({ ...app, tokenStore: store, token: 'other' }).token).toBe('other')
    expect(createClient({ ...app, tokenStore: store }).token).toBe('other')
  })

  it('stores the token under a key that cookies and expo-secure-store accept', () => {
    for (const baseUrl of ['http://localhost:3000', 'https://a.example/ü_b~(c)', '/usher']) {
      const { store, items } = memoryStore()
      createClient({ ...app, baseUrl, tokenStore: store, token: 'jwt' })
      expect([...items.keys()]).toEqual([expect.stringMatching(/^usher\.demo\.app\.[\w.-]+$/)])
    }
  })

  it('stores the tokens of similar servers under different keys', () => {
    const { store, items } = memoryStore()
    const servers = [
      'https://a.example/b',
      'https://a.example/_b',
      'https://a.example//b',
      'https://a.example_b',
    ]
    for (const baseUrl of servers) createClient({ ...app, baseUrl, tokenStore: store, token: 'jwt' })
    expect(items.size).toBe(servers.length)
  })

  it('opens a store that a function returns only when it is needed', async () => {
    const { store, items } = memoryStore()
    const open = vi.fn(() => store)
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const usher = createClient({ ...app, fetch, tokenStore: open })
    expect(open).not.toHaveBeenCalled()
    await usher.login(credentials)
    expect([...items.values()]).toEqual([`jwt ${now + 3_600_000}`])
    expect(createClient({ ...app, tokenStore: open }).token).toBe('jwt')
  })
})

describe('failing token stores', () => {
  const fail = (): never => {
    throw new Error('blocked')
  }
  const reject = () => Promise.reject(new Error('blocked'))

  it.each([
    ['cannot be opened', fail],
    ['is null', () => null as never],
    ['cannot be read', { ...memoryStore().store, getItem: fail }],
    ['cannot be written', { ...memoryStore().store, setItem: fail, removeItem: fail }],
    ['rejects all calls', { getItem: reject, setItem: reject, removeItem: reject }],
    ['rejects writes', { ...memoryStore().store, setItem: reject, removeItem: reject }],
  ])('keeps the token in memory when the store %s', async (_name, tokenStore) => {
    const onTokenChange = vi.fn()
    const { fetch, requests } = stubFetch(
      () => signedIn('jwt'),
      user,
      () => problem('token_expired'),
    )
    const usher = createClient({ ...app, fetch, tokenStore, onTokenChange })
    expect((await usher.login(credentials)).error).toBeUndefined()
    expect([usher.token, usher.expiresAt]).toEqual(['jwt', new Date(now + 3_600_000)])
    expect((await usher.me()).data).toBeDefined()
    expect(requests[1]?.headers.Authorization).toBe('Bearer jwt')
    expect((await usher.me()).error?.code).toBe('token_expired')
    expect(usher.token).toBeUndefined()
    expect(onTokenChange.mock.calls).toEqual([['jwt'], [undefined]])
  })

  it('keeps the user logged out when removeItem throws', async () => {
    const { store } = memoryStore()
    const usher = createClient({ ...app, token: 'jwt', tokenStore: { ...store, removeItem: fail } })
    await usher.signOut()
    expect(usher.token).toBeUndefined()
  })
})

describe('asynchronous token stores', () => {
  /** A store whose calls take a few turns of the event loop, the first ones most. */
  function slowStore() {
    const { items, store } = memoryStore()
    let turns = 20
    const later = async <T>(action: () => T) => {
      for (let left = turns--; left > 0; left--) await undefined
      return action()
    }
    const getItem = vi.fn((key: string) => later(() => items.get(key) ?? null))
    const tokenStore: TokenStore = {
      getItem,
      setItem: (key, value) => later(() => store.setItem(key, value)),
      removeItem: (key) => later(() => store.removeItem(key)),
    }
    return { items, getItem, tokenStore }
  }

  it('reads the store before getToken returns the token, unless it has expired', async () => {
    const stored = (item: string) =>
      createClient({ ...app, tokenStore: { getItem: async () => item, setItem() {}, removeItem() {} } })
    const usher = stored(`jwt ${now + 1}`)
    expect([usher.token, await usher.getToken()]).toEqual([undefined, 'jwt'])
    expect(await stored(`jwt ${now}`).getToken()).toBeUndefined()
  })

  it('sends the stored token, reads it once, and notifies subscribers when it is read', async () => {
    const { items, getItem, tokenStore } = slowStore()
    await createClient({ ...app, tokenStore, ...stubFetch(() => signedIn('jwt')) }).login(credentials)
    expect(items.size).toBe(1)
    const { fetch, requests } = stubFetch(user, user)
    const usher = createClient({ ...app, fetch, tokenStore })
    const tokens: unknown[] = []
    usher.subscribe(() => tokens.push(usher.token))
    expect(usher.token).toBeUndefined()
    await usher.me()
    await usher.me()
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual(['Bearer jwt', 'Bearer jwt'])
    expect(tokens).toEqual(['jwt'])
    expect(getItem).toHaveBeenCalledTimes(2)
  })

  it('resolves a login and a sign-out when the store has saved them', async () => {
    const { items, tokenStore } = slowStore()
    const usher = createClient({ ...app, tokenStore, ...stubFetch(() => signedIn('jwt')) })
    await usher.login(credentials)
    expect([...items.values()]).toEqual([`jwt ${now + 3_600_000}`])
    await usher.signOut()
    expect(items.size).toBe(0)
  })

  it('saves the last of several changes, and ignores a read that they overtake', async () => {
    const { items, tokenStore } = slowStore()
    await createClient({ ...app, tokenStore, token: 'stored' }).signOut()
    const usher = createClient({ ...app, tokenStore, token: 'first' })
    usher.token = 'second'
    usher.token = undefined
    usher.token = 'third'
    await vi.waitFor(() => expect([...items.values()]).toEqual(['third ']), 10_000)
    expect(usher.token).toBe('third')
    const later = createClient({ ...app, tokenStore })
    expect(later.token).toBeUndefined()
    await later.signOut()
    expect(later.token).toBeUndefined()
    expect(items.size).toBe(0)
  })
})

describe('listeners that throw', () => {
  /** Returns a store that has a token, and a client whose listener throws once, when the store has been read. */
  function throwingClient(options: object = {}) {
    const { items, store } = memoryStore()
    createClient({ ...app, tokenStore: store, token: 'stored' })
    const { fetch, requests } = stubFetch(user, user)
    const usher = createClient({
      ...app,
      ...options,
      fetch,
      tokenStore: {
        getItem: async (key) => store.getItem(key),
        setItem: async (key, value) => store.setItem(key, value),
        removeItem: async (key) => store.removeItem(key),
      },
    })
    const listener = vi.fn()
    listener.mockImplementationOnce(() => {
      throw new Error('mine')
    })
    usher.subscribe(listener)
    return { usher, items, requests }
  }

  it('fail only the calls that wait for the read of an asynchronous store', async () => {
    const { usher, requests } = throwingClient()
    await expect(usher.me()).rejects.toThrow('mine')
    expect((await usher.me()).error).toBeUndefined()
    expect(requests[0]?.headers.Authorization).toBe('Bearer stored')
  })

  it('do not keep a sign-out or a login out of an asynchronous store', async () => {
    for (const value of [undefined, 'other']) {
      const { usher, items } = throwingClient()
      const read = usher.getToken()
      await expect(read).rejects.toThrow('mine')
      usher.token = value
      await usher.getToken()
      expect([...items.values()]).toEqual(value ? ['other '] : [])
    }
  })

  it('do not do so either if onTokenChange throws, and the read ends after the login', async () => {
    const onTokenChange = () => {
      throw new Error('of onTokenChange')
    }
    const { usher, items } = throwingClient({ onTokenChange })
    const read = usher.getToken()
    expect(() => {
      usher.token = 'other'
    }).toThrow('mine')
    expect(await read).toBe('other')
    await usher.getToken()
    expect([...items.values()]).toEqual(['other '])
  })
})

describe('the state', () => {
  it('is signedOut without a token in a store that is read synchronously, and signedIn with one', async () => {
    const { store } = memoryStore()
    for (const options of [{}, { tokenStore: store }, { tokenStore: () => store }]) {
      const { fetch } = stubFetch(() => signedIn('jwt'))
      const usher = createClient({ ...app, fetch, ...options })
      expect(usher.state).toBe('signedOut')
      await usher.login(credentials)
      expect(usher.state).toBe('signedIn')
      await usher.signOut()
      expect(usher.state).toBe('signedOut')
    }
  })

  it('is signedOut when the token has expired by the local clock', async () => {
    const usher = createClient({ ...app, ...stubFetch(() => signedIn('jwt')) })
    await usher.login(credentials)
    vi.setSystemTime(now + 3_600_000)
    expect([usher.state, usher.token]).toEqual(['signedOut', undefined])
  })

  it.each([
    ['a token', async () => 'jwt ', 'signedIn'],
    ['no token', async () => null, 'signedOut'],
    ['an error', () => Promise.reject(new Error('blocked')), 'signedOut'],
  ])('is unknown until an asynchronous store has returned %s', async (_name, getItem, expected) => {
    const { fetch, requests } = stubFetch()
    const usher = createClient({ ...app, fetch, tokenStore: { ...memoryStore().store, getItem } })
    const states: unknown[] = []
    usher.subscribe(() => states.push(usher.state))
    expect(usher.state).toBe('unknown')
    await vi.waitFor(() => expect(states).toEqual([expected]), 10_000)
    expect([usher.state, requests.length]).toEqual([expected, 0])
  })

  it('is that of a token that is set before an asynchronous store is read', async () => {
    const usher = createClient({
      ...app,
      tokenStore: { ...memoryStore().store, getItem: async () => 'jwt ' },
    })
    expect(usher.state).toBe('unknown')
    const signedOut = usher.signOut()
    expect(usher.state).toBe('signedOut')
    await signedOut
    expect(usher.state).toBe('signedOut')
  })

  it.each([
    ['a network error', networkFailure],
    ['503', () => problem('unavailable')],
  ])('stays signedIn after %s', async (_name, respond) => {
    const usher = createClient({ ...app, token: 'jwt', retries: 0, fetch: stubFetch(respond).fetch })
    await usher.me()
    expect(usher.state).toBe('signedIn')
  })
})

it.each([
  ['another tab has logged out', 'jwt', undefined, undefined],
  ['nobody was logged in, and another tab has stored something else', undefined, undefined, 'login'],
  ['another tab has changed the token', 'jwt', 'other', 'login'],
])('a login that waits while %s', async (_, former, next, expected) => {
  const tab = new EventTarget()
  vi.stubGlobal('window', { addEventListener: tab.addEventListener.bind(tab) })
  const { store } = memoryStore()
  const { fetch } = stubFetch(() => {
    createClient({ ...app, tokenStore: store }).token = next
    tab.dispatchEvent(new Event('storage'))
    return signedIn('login')
  })
  const usher = createClient({ ...app, fetch, tokenStore: store, token: former })
  await usher.login(credentials)
  expect(usher.token).toBe(expected)
})

describe('subscriptions', () => {
  const watch = (usher: Client) => {
    const tokens: unknown[] = []
    return { tokens, unsubscribe: usher.subscribe(() => tokens.push(usher.token)) }
  }

  it('call the listener after each change of the token, until they end', async () => {
    const { fetch } = stubFetch(
      () => signedIn('jwt'),
      () => problem('token_invalid'),
    )
    const usher = createClient({ ...app, fetch })
    const { tokens, unsubscribe } = watch(usher)
    await usher.login(credentials)
    await usher.me()
    usher.token = 'set'
    usher.token = 'set'
    await usher.signOut()
    unsubscribe()
    usher.token = 'unseen'
    expect(tokens).toEqual(['jwt', undefined, 'set', undefined])
  })

  it('call the listener when another tab logs in or out', () => {
    const tab = new EventTarget()
    vi.stubGlobal('addEventListener', tab.addEventListener.bind(tab))
    vi.stubGlobal('removeEventListener', tab.removeEventListener.bind(tab))
    const { store } = memoryStore()
    const usher = createClient({ ...app, tokenStore: store })
    const otherTab = createClient({ ...app, tokenStore: store })
    const { tokens, unsubscribe } = watch(usher)
    const change = (jwt?: string) => {
      otherTab.token = jwt
      tab.dispatchEvent(new Event('storage'))
    }
    change('jwt')
    tab.dispatchEvent(new Event('storage'))
    change(undefined)
    unsubscribe()
    change('unseen')
    expect(tokens).toEqual(['jwt', undefined])
  })

  it('call all listeners if one throws, or onTokenChange does', async () => {
    const throws = vi.fn(() => {
      throw new Error('mine')
    })
    const usher = createClient({ ...app, onTokenChange: throws })
    usher.subscribe(throws)
    const { tokens } = watch(usher)
    for (const token of ['first', undefined])
      expect(() => {
        usher.token = token
      }).toThrow('mine')
    expect(throws).toHaveBeenCalledTimes(4)
    expect(tokens).toEqual(['first', undefined])
  })

  it('call the listener when the token expires, and leave no timer behind', async () => {
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const { fetch } = stubFetch(
      () => signedIn('first'),
      () => signedIn('second'),
    )
    const usher = createClient({ ...app, fetch })
    const { tokens, unsubscribe } = watch(usher)
    await usher.login(credentials)
    await vi.advanceTimersByTimeAsync(3_599_999)
    expect(tokens).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(1)
    expect(tokens).toEqual(['first', undefined])
    await usher.login(credentials)
    expect(tokens).toEqual(['first', undefined, 'second'])
    unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('wait for an expiry that is further away than a timer can be', async () => {
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const { store, items } = memoryStore()
    createClient({ ...app, tokenStore: store, token: 'jwt' })
    const days = 86_400_000
    for (const key of items.keys()) items.set(key, `jwt ${now + 30 * days}`)
    const { tokens, unsubscribe } = watch(createClient({ ...app, tokenStore: store }))
    await vi.advanceTimersByTimeAsync(29 * days)
    expect(tokens).toEqual([])
    await vi.advanceTimersByTimeAsync(days)
    expect(tokens).toEqual([undefined])
    unsubscribe()
  })
})
