import { contract } from '@usher/contract'
import { type ClientOptions, createClient, createOperations, UsherError, users } from '@usher/sdk'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ada,
  app,
  credentials,
  networkFailure,
  problem,
  signedIn,
  stubFetch,
  user,
  withToken,
} from './stub-fetch.js'

afterEach(() => vi.unstubAllGlobals())

describe('requests', () => {
  it('posts a sign-up as JSON', async () => {
    const { fetch, requests } = stubFetch(() => signedIn('jwt', 201))
    await createClient({ ...app, fetch }).createUser({ ...credentials, newTenant: 'Engines' })
    expect(requests).toMatchObject([
      {
        url: 'https://users.example.com/workspaces/demo/databases/app/users',
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...credentials, newTenant: 'Engines' }),
      },
    ])
  })

  it('posts a login as JSON, without an Idempotency-Key', async () => {
    const { fetch, requests } = stubFetch(() => signedIn('jwt'))
    await createClient({ ...app, fetch }).login(credentials)
    expect(requests).toMatchObject([
      {
        url: 'https://users.example.com/workspaces/demo/databases/app/users/login',
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(credentials),
      },
    ])
    expect(requests[0]?.headers).not.toHaveProperty('Idempotency-Key')
  })

  it.each([
    ['01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03', '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03'],
    ['', '_'],
    ['.', '_'],
    ['../password?x', '___password_x'],
    [undefined, 'undefined'],
  ])('sends the ID %j at the end of the path, and no text that leads elsewhere', async (id, end) => {
    const { fetch, requests } = stubFetch(() => new Response(null, { status: 204 }))
    const { error } = await createClient({ ...app, fetch, token: 'jwt' }).endSessionById(id as string)
    expect(error).toBeUndefined()
    const path = `/workspaces/demo/databases/app/users/me/sessions/${end}`
    expect(requests).toMatchObject([{ method: 'DELETE', url: `https://users.example.com${path}` }])
    expect(requests[0]).not.toHaveProperty('body')
  })

  it('opens a session without a body, or with a label', async () => {
    const { fetch, requests } = stubFetch(networkFailure, networkFailure)
    const usher = createClient({ ...app, fetch, token: 'jwt', retries: 0 })
    await usher.openSession()
    await usher.openSession({ label: 'Ada’s phone' })
    expect(requests.map(({ body }) => body)).toEqual([undefined, '{"label":"Ada’s phone"}'])
    expect(requests.map(({ headers }) => headers['Content-Type'])).toEqual([undefined, 'application/json'])
  })

  it('sends the token with me', async () => {
    const { fetch, requests } = stubFetch(user)
    await createClient({ ...app, fetch, token: 'jwt' }).me()
    expect(requests).toMatchObject([
      {
        url: 'https://users.example.com/workspaces/demo/databases/app/users/me',
        method: 'GET',
        headers: { Authorization: 'Bearer jwt' },
      },
    ])
    expect(requests[0]).not.toHaveProperty('body')
  })

  it.each(Object.entries(contract.users))(
    'sends %s by the method and path of the contract',
    async (id, route) => {
      const { fetch, requests } = stubFetch(() => new Response())
      const name = id === 'getMe' ? 'me' : (id as 'createUser' | 'login')
      await createClient({ ...withToken, fetch, retries: 0 })[name](credentials as object as never)
      const path = route.path.replace(':workspaceSlug', 'demo').replace(':databaseName', 'app')
      expect(requests).toMatchObject([{ method: route.method, url: `https://users.example.com${path}` }])
    },
  )

  it.each([
    ['https://users.example.com/', 'https://users.example.com'],
    ['https://example.com/usher', 'https://example.com/usher'],
    ['https://example.com/usher//', 'https://example.com/usher'],
    ['/usher', '/usher'],
    ['/', ''],
  ])('prepends the base URL %s to the path', async (baseUrl, prefix) => {
    const { fetch, requests } = stubFetch(user)
    await createClient({ ...withToken, baseUrl, fetch }).me()
    expect(requests[0]?.url).toBe(`${prefix}/workspaces/demo/databases/app/users/me`)
  })

  it('uses the current global fetch when no fetch is given', async () => {
    const usher = createClient(withToken)
    const { fetch, requests } = stubFetch(user)
    vi.stubGlobal('fetch', fetch)
    await usher.me()
    expect(requests).toHaveLength(1)
  })

  it('provides methods that work without this', async () => {
    const { fetch } = stubFetch(() => signedIn('jwt'), user)
    const { login, me } = createClient({ ...app, fetch })
    await login(credentials)
    expect((await me()).data).toEqual(ada)
  })
})

describe('successful calls', () => {
  it('returns data and an undefined error', async () => {
    const { fetch } = stubFetch(() => signedIn('jwt', 201), user)
    const usher = createClient({ ...app, fetch })
    expect(await usher.createUser(credentials)).toEqual({
      data: { id: ada.id, tenants: [], token: { jwt: 'jwt', maxAge: 3600, type: 'ACCESS_TOKEN' } },
      error: undefined,
    })
    expect(await usher.me()).toEqual({ data: ada, error: undefined })
  })
})

describe('createOperations', () => {
  function tokenHolder(jwt?: string) {
    const set = vi.fn((next?: string) => {
      jwt = next
    })
    return { get: () => jwt, set }
  }

  it('creates only the given operations, which use the given token', async () => {
    const { fetch, requests } = stubFetch(
      () => signedIn('jwt'),
      user,
      () => problem('token_invalid'),
    )
    const { login, me } = users
    const token = tokenHolder()
    const usher = createOperations({ login, me }, { ...app, fetch }, token)
    expect(Object.keys(usher)).toEqual(['login', 'me'])
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await usher.login(credentials)
    expect(token.set.mock.calls).toEqual([['jwt', 4_600_000]])
    await usher.me()
    expect(requests[1]?.headers.Authorization).toBe('Bearer jwt')
    await usher.me()
    expect(token.get()).toBeUndefined()
  })

  it('asks the holder for another token before a call without one, and returns the error of a holder', async () => {
    const { fetch, requests } = stubFetch(user)
    const { me } = users
    const { get, set } = tokenHolder()
    const renew = vi.fn(async () => {
      set('renewed')
      return true
    })
    const usher = createOperations({ me }, { ...app, fetch }, { get, set, renew })
    expect((await usher.me()).data).toEqual(ada)
    expect(renew.mock.calls).toEqual([[undefined]])
    expect(requests.map(({ headers }) => headers.Authorization)).toEqual(['Bearer renewed'])

    const error = new UsherError({ code: 'no_answer' } as never)
    const failing = createOperations({ me }, { ...app, fetch }, { get: async () => error, set() {} })
    expect(await failing.me()).toEqual({ data: undefined, error })
    expect(requests).toHaveLength(1)
  })

  it('keeps the token when a code that is not about the token begins like those that are', async () => {
    const { fetch } = stubFetch(() =>
      Response.json({ code: 'token_reserved', title: 'Reserved' }, { status: 403 }),
    )
    const codes = [...users.me.codes, 'token_reserved'] as never
    const token = tokenHolder('jwt')
    const { error } = await createOperations({ me: { ...users.me, codes } }, { ...app, fetch }, token).me()
    expect([error?.code, token.get()]).toEqual(['token_reserved', 'jwt'])
  })

  it('returns undefined data for a response without content', async () => {
    const { fetch } = stubFetch(() => new Response(null, { status: 204 }))
    const { field: _, ...me } = users.me
    const usher = createOperations({ me: { ...me, status: 204 } }, { ...app, fetch }, tokenHolder('jwt'))
    expect(await usher.me()).toEqual({ data: undefined, error: undefined })
  })
})

describe('usage errors', () => {
  it.each<[keyof ClientOptions, ...[value: unknown, text: string][]]>([
    [
      'baseUrl',
      [undefined, 'undefined'],
      [null, 'null'],
      ['', 'empty'],
      [1, '1'],
      ['users.example.com', 'users.example.com'],
      ['ftp://a.example', 'ftp://a.example'],
      ['https://a.example/?b', 'https://a.example/?b'],
      ['/a#b', '/a#b'],
    ],
    [
      'workspace',
      [undefined, 'undefined'],
      [null, 'null'],
      ['', 'empty'],
      ['.', '.'],
      ['..', '..'],
      ['a/b', 'a/b'],
      ['ü', 'ü'],
      ['a'.repeat(64), 'a'.repeat(64)],
      [1, '1'],
    ],
    ['database', [undefined, 'undefined'], ['', 'empty'], ['a b', 'a b'], ['-a', '-a']],
    ['fetch', [null, 'null'], [{}, 'object']],
    ['timeoutMs', [-1, '-1'], [Number.NaN, 'NaN'], ['5', '5']],
    ['retries', [-1, '-1'], [Number.NaN, 'NaN'], ['5', '5']],
    ['token', [null, 'null'], [1, '1'], [() => 'jwt', 'function']],
    ['tokenStore', ['localStorage', 'localStorage'], [1, '1']],
    ['onTokenChange', [null, 'null'], [{}, 'object']],
  ])('throws a TypeError that names an impossible %s and its value', (name, ...values) => {
    for (const [value, text] of values) {
      expect(() => createClient({ ...app, [name]: value }), text).toThrow(
        new TypeError(`Usher client: ${name} cannot be ${text}`),
      )
    }
  })

  it('accepts unusual but possible options', () => {
    for (const tokenStore of [undefined, Object.create(null), () => localStorage]) {
      const usher = createClient({ ...app, tokenStore, timeoutMs: Number.POSITIVE_INFINITY, retries: 0 })
      expect(usher.token).toBeUndefined()
    }
  })

  it('rejects with a TypeError when a body cannot be JSON', async () => {
    const { fetch, requests } = stubFetch()
    const body: Record<string, unknown> = { ...credentials }
    body.itself = body
    await expect(createClient({ ...app, fetch }).login(body as typeof credentials)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })
})
