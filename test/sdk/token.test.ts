import { createClient, type TokenStore } from '@usher/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  app,
  credentials,
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

function memoryStore() {
  const items = new Map<string, string>()
  const store: TokenStore = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  return { items, store }
}

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
    const { fetch, requests } = stubFetch(user, () => signedIn('jwt'), user)
    const usher = createClient({ ...app, fetch })
    await usher.me()
    await usher.login(credentials)
    await usher.me()
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual([undefined, undefined, 'Bearer jwt'])
  })

  it('sends an expired token, which the server rejects', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('jwt'),
      () => problem('token_expired'),
    )
    const usher = createClient({ ...app, fetch })
    await usher.login(credentials)
    vi.setSystemTime(now + 3_600_001)
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
      () => problem('token_missing'),
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

  it('rejects a call with the error that the token store throws', async () => {
    const full = new Error('quota')
    const { store } = memoryStore()
    store.setItem = () => {
      throw full
    }
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await expect(createClient({ ...app, fetch, tokenStore: store }).login(credentials)).rejects.toBe(full)
  })
})
