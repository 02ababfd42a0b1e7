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

/** A store like `localStorage`, with its content to look into. */
function shelf() {
  const items = new Map<string, string>()
  const store: TokenStore = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  return { items, store }
}

describe('the token', () => {
  it('is that of the latest sign-up or login, with its end by the local clock', async () => {
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

  it('is sent by me', async () => {
    const { fetch, requests } = stubFetch(user, () => signedIn('jwt'), user)
    const usher = createClient({ ...app, fetch })
    await usher.me()
    await usher.login(credentials)
    await usher.me()
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual([undefined, undefined, 'Bearer jwt'])
  })

  it('is sent past its end too, for the server to judge', async () => {
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

  it('can be given, set and cleared; the end of such a one is not known', () => {
    const usher = createClient({ ...app, token: 'given' })
    expect([usher.token, usher.expiresAt]).toEqual(['given', undefined])
    usher.token = 'set'
    expect([usher.token, usher.expiresAt]).toEqual(['set', undefined])
    usher.token = undefined
    expect([usher.token, usher.expiresAt]).toEqual([undefined, undefined])
  })

  it('stays as it is when a login fails', async () => {
    const { fetch } = stubFetch(() => problem('invalid_credentials'))
    const usher = createClient({ ...app, fetch, token: 'jwt' })
    await usher.login(credentials)
    expect(usher.token).toBe('jwt')
  })
})

describe('a 401 to me', () => {
  it.each(['token_missing', 'token_invalid', 'token_expired'] as const)(
    'clears the token: %s',
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

  it('leaves a token alone that a login brought meanwhile', async () => {
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
    ['no answer', networkFailure],
    ['503', () => problem('unavailable')],
    ['404', () => problem('database_not_found')],
    ['a proxy’s page', () => proxyPage(502)],
  ])('is another thing than %s, which keeps the token', async (_name, answer) => {
    const usher = createClient({ ...app, token: 'jwt', retries: 0, fetch: stubFetch(answer).fetch })
    await usher.me()
    expect(usher.token).toBe('jwt')
  })
})

describe('onTokenChange', () => {
  it('is told of each change, and of nothing else', async () => {
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

  it('finds the new token kept', async () => {
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

  it('is not told of the token that the client is made with', () => {
    const onTokenChange = vi.fn()
    createClient({ ...app, token: 'jwt', onTokenChange })
    expect(onTokenChange).not.toHaveBeenCalled()
  })
})

describe('a token store', () => {
  it('keeps token and end from one page to the next', async () => {
    const { store, items } = shelf()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await createClient({ ...app, fetch, tokenStore: store }).login(credentials)
    const later = createClient({ ...app, tokenStore: store })
    expect([later.token, later.expiresAt]).toEqual(['jwt', new Date(now + 3_600_000)])
    later.token = undefined
    expect(items.size).toBe(0)
  })

  it('shared by tabs shows each what the others did', async () => {
    const { store } = shelf()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const one = createClient({ ...app, fetch, tokenStore: store })
    const other = createClient({ ...app, tokenStore: store })
    await one.login(credentials)
    expect(other.token).toBe('jwt')
    other.token = undefined
    expect([one.token, one.expiresAt]).toEqual([undefined, undefined])
  })

  it('keeps the tokens of several databases and servers apart', () => {
    const { store } = shelf()
    const usher = createClient({ ...app, tokenStore: store, token: 'jwt' })
    for (const other of [{ database: 'b' }, { workspace: 'b' }, { baseUrl: 'https://b.example' }]) {
      expect(createClient({ ...app, ...other, tokenStore: store }).token).toBeUndefined()
    }
    expect(usher.token).toBe('jwt')
  })

  it('yields to a token that is given, and keeps the end of one that is the same', async () => {
    const { store } = shelf()
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await createClient({ ...app, fetch, tokenStore: store }).login(credentials)
    expect(createClient({ ...app, tokenStore: store, token: 'jwt' }).expiresAt).toBeDefined()
    expect(createClient({ ...app, tokenStore: store, token: 'other' }).token).toBe('other')
    expect(createClient({ ...app, tokenStore: store }).token).toBe('other')
  })

  it('that throws makes the call throw the same', async () => {
    const full = new Error('quota')
    const { store } = shelf()
    store.setItem = () => {
      throw full
    }
    const { fetch } = stubFetch(() => signedIn('jwt'))
    await expect(createClient({ ...app, fetch, tokenStore: store }).login(credentials)).rejects.toBe(full)
  })
})
