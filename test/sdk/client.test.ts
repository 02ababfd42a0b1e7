import { contract } from '@usher/contract'
import { createClient, createClientWith, users } from '@usher/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ada, app, credentials, signedIn, stubFetch, user } from './stub-fetch.js'

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
      await createClient({ ...app, fetch, retries: 0 })[name](credentials as object as never)
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
    await createClient({ ...app, baseUrl, fetch }).me()
    expect(requests[0]?.url).toBe(`${prefix}/workspaces/demo/databases/app/users/me`)
  })

  it('encodes each path parameter as one segment', async () => {
    const { fetch, requests } = stubFetch(user)
    await createClient({ ...app, workspace: 'a/../b', database: 'c?d#e f%2F', fetch }).me()
    expect(requests[0]?.url).toBe(
      'https://users.example.com/workspaces/a%2F..%2Fb/databases/c%3Fd%23e%20f%252F/users/me',
    )
  })

  it('uses the current global fetch when no fetch is given', async () => {
    const usher = createClient(app)
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

describe('clients with some operations', () => {
  it('have only the given operations, and a token of their own', async () => {
    const { fetch } = stubFetch(() => signedIn('jwt'))
    const { login } = users
    const usher = createClientWith({ login }, { ...app, fetch })
    expect(Object.keys(usher)).toEqual(['token', 'expiresAt', 'login'])
    await usher.login(credentials)
    expect(usher.token).toBe('jwt')
  })

  it('return undefined data for a response without content', async () => {
    const { fetch } = stubFetch(() => new Response(null, { status: 204 }))
    const { field: _, ...me } = users.me
    const usher = createClientWith({ me: { ...me, status: 204 } }, { ...app, fetch })
    expect(await usher.me()).toEqual({ data: undefined, error: undefined })
  })
})

describe('usage errors', () => {
  it.each(['baseUrl', 'workspace', 'database'])('throws a TypeError that names a missing %s', (name) => {
    const incomplete = { ...app, [name]: undefined }
    expect(() => createClient(incomplete)).toThrow(
      new TypeError(`createClient: ${name} must be a non-empty string other than . and ..`),
    )
  })

  it.each(['', '.', '..'])('throws a TypeError for the database name "%s"', (database) => {
    expect(() => createClient({ ...app, database })).toThrow(TypeError)
  })

  it('rejects with a TypeError when a body cannot be JSON', async () => {
    const { fetch, requests } = stubFetch()
    const body: Record<string, unknown> = { ...credentials }
    body.itself = body
    await expect(createClient({ ...app, fetch }).login(body as typeof credentials)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })
})
