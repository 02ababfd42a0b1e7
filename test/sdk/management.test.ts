import { createManagementClient, type UsherError } from '@usher/sdk/management'
import { afterEach, describe, expect, vi } from 'vitest'
import { createManagementOperation } from '../../sdk/management-operation.js'
import { it as managementTest } from '../support/management.js'
import { app, networkFailure, problem, silence, stubFetch } from './stub-fetch.js'

const withKey = { ...app, apiKey: 'usher_key' }
const page = (ids: string[], next: string | null) => () =>
  Response.json({ users: ids.map((id) => ({ id })), next })

/** `it` with a client that has a key with all scopes. */
const it = managementTest.extend('client', async ({ origin, manage }) =>
  createManagementClient({
    baseUrl: origin,
    workspace: manage.database.workspaceSlug,
    database: manage.database.databaseName,
    apiKey: (await manage.newKey()).key,
  }),
)

afterEach(() => void vi.unstubAllGlobals())

describe('a client of the management API', () => {
  it('reads a user, and returns the code of an error', async ({ manage, client }) => {
    const { id } = await manage.database.signedUp({ email: 'ada@example.com' })
    const found = { id, email: 'ada@example.com', sessions: 0 }
    expect(await client.user(id)).toMatchObject({ data: found, error: undefined })
    const { data, error } = await client.user('01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01')
    expect([data, error?.code, error?.status]).toEqual([undefined, 'user_not_found', 404])
  })

  it('yields the users of all pages', async ({ manage, client }) => {
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await manage.database.signedUp()).id)
    const found: string[] = []
    for await (const { id } of client.users({ limit: 2 })) found.push(id)
    expect(found).toEqual(ids.toSorted())
  })

  it('requests a page when it is needed, with the filter of the first', async () => {
    const { fetch, requests } = stubFetch(page(['a', 'b'], 'b'), page(['c'], null))
    const client = createManagementClient({ ...withKey, fetch })
    const users = client.users({ tenant: 'a&b' })
    expect([(await users.next()).value?.id, requests.length]).toEqual(['a', 1])
    expect([(await users.next()).value?.id, requests.length]).toEqual(['b', 1])
    expect([(await users.next()).value?.id, requests.length]).toEqual(['c', 2])
    expect((await users.next()).done).toBe(true)
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?tenant=a%26b', '?tenant=a%26b&after=b'])
    expect(requests[0]?.headers).toEqual({ Authorization: 'Bearer usher_key' })
  })

  it('throws the error of a page', async () => {
    const { fetch } = stubFetch(page(['a'], 'a'), () => problem('unavailable'))
    const users = createManagementClient({ ...withKey, fetch, retries: 0 }).users()
    await users.next()
    await expect(users.next()).rejects.toMatchObject({ code: 'unavailable' } satisfies Partial<UsherError>)
  })

  it.for(['../users', '..', '.', 'a/b', 'a?b', ''])('sends the id %j to no other path', async (id) => {
    const { fetch, requests } = stubFetch(page([], null))
    await createManagementClient({ ...withKey, fetch }).user(id)
    expect(new URL(requests[0]?.url ?? '').pathname).toMatch(/\/management\/users\/[\w.-]+$/)
  })

  it('sends a domain as it is', async () => {
    const { fetch, requests } = stubFetch(page([], null))
    await createManagementClient({ ...withKey, fetch }).checkSsoDomain('a', 'acme.example')
    expect(requests[0]?.url).toMatch(/\/tenants\/a\/sso\/domains\/acme\.example\/check$/)
  })

  it('imports users, and returns the result of each line', async ({ client }) => {
    const ada = { email: 'ada@example.com', externalId: 'customer-17' }
    const { data } = await client.importUsers({ lines: [ada, { email: 'grace' }] })
    expect(data).toMatchObject({ created: 1, existing: 0, rejected: 1 })
    expect(data?.lines[1]?.errors).toMatchObject([{ path: 'email', code: 'email_invalid' }])
    const found: unknown[] = []
    for await (const each of client.importAllUsers([ada, { email: 'joan@example.com' }])) found.push(each)
    expect(found).toMatchObject([
      { line: 1, status: 'exists', userId: data?.lines[0]?.userId },
      { line: 2, status: 'created' },
    ])
  })

  it('imports any number of users, in requests that the server accepts', async () => {
    const imported = ({ body }: { body?: string }) => {
      const lines = String(body)
        .split('\n')
        .map((_, index) => ({ line: index + 1, status: 'created' }))
      return Response.json({ created: lines.length, lines })
    }
    const { fetch, requests } = stubFetch(imported, imported, imported)
    const { importAllUsers } = createManagementClient({ ...withKey, fetch })
    async function* users() {
      for (let index = 0; index <= 1000; index++) yield { email: `user${index}@example.com` }
      const large = { email: 'é@example.com', metadata: { text: 'é'.repeat(200_000) } }
      yield* [large, large, large]
    }
    let count = 0
    for await (const { line } of importAllUsers(users())) expect(line).toBe(++count)
    const bodies = requests.map(({ body }) => String(body))
    expect(bodies.map((body) => body.split('\n').length)).toEqual([1000, 3, 1])
    for (const body of bodies) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2 ** 20)
    expect(new Set(requests.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(3)
    expect(requests[0]?.headers['Content-Type']).toBe('application/x-ndjson')
  })

  it('throws in a page', () => {
    vi.stubGlobal('window', { document: {} })
    expect(() => createManagementClient(withKey)).toThrow(/because a browser would leak the API key/)
  })

  it('names an option that is missing or invalid, but never shows the key', () => {
    expect(() => createManagementClient({ ...withKey, database: '' })).toThrow('database cannot be empty')
    const mistaken = () => createManagementClient({ ...withKey, apiKey: 'secret key' })
    expect(mistaken).toThrow('apiKey must be a key')
    expect(mistaken).not.toThrow('secret')
  })
})

describe('a request of the management API', () => {
  const post = { method: 'POST', path: '/users', status: 201, codes: ['app_url_missing'] } as const
  const created = () => Response.json({ id: 'a' }, { status: 201, headers: { ETag: '"1"' } })
  const endpoint = { ...post, hasBody: true, acceptsIdempotencyKey: true } as const

  it('has one Idempotency-Key for all attempts, and another for the next call', async () => {
    const { fetch, requests } = stubFetch(networkFailure, created, created)
    const call = createManagementOperation(endpoint, { ...withKey, fetch })
    expect(await call({ email: 'a' })).toEqual({ data: { id: 'a' }, error: undefined, etag: '"1"' })
    await call({ email: 'a' })
    const keys = requests.map(({ headers }) => headers['Idempotency-Key'])
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/)
    expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false])
  })

  it('has the Idempotency-Key and the ETag of the caller', async () => {
    const { fetch, requests } = stubFetch(created)
    const call = createManagementOperation(endpoint, { ...withKey, fetch })
    await call({}, { idempotencyKey: 'job-7', ifMatch: '"1"' })
    expect(requests[0]?.headers).toMatchObject({ 'Idempotency-Key': 'job-7', 'If-Match': '"1"' })
  })

  it('is not sent again if it could have a second effect', async () => {
    const { fetch, requests } = stubFetch(networkFailure)
    const call = createManagementOperation(post, { ...withKey, fetch })
    expect((await call()).error?.code).toBe('no_answer')
    expect(requests).toHaveLength(1)
  })

  it.each(['changeUser', 'changeTenant'] as const)('sends %s without an ETag again', async (name) => {
    const { fetch, requests } = stubFetch(networkFailure, () => Response.json({ email: 'a', name: 'a' }))
    const { error } = await createManagementClient({ ...withKey, fetch })[name]('a', {})
    expect([error, requests.length]).toEqual([undefined, 2])
  })

  it('is not sent again with an ETag, which the first request may have made outdated', async () => {
    const patch = { method: 'PATCH', path: '/tenants/{tenantId}', status: 200, isRepeatable: true } as const
    const change = { ...patch, hasBody: true, codes: ['precondition_failed'] } as const
    const outdated = () => Response.json({ code: 'precondition_failed' }, { status: 412 })
    const { fetch, requests } = stubFetch(networkFailure, outdated)
    const call = createManagementOperation(change, { ...withKey, fetch })
    expect((await call('a', {}, { ifMatch: '"1"' })).error?.code).toBe('no_answer')
    expect(requests).toHaveLength(1)
  })

  it('returns the seconds after which a list of events that could not wait may be requested again', async () => {
    const empty = () =>
      Response.json({ events: [], next: 'a.1', moreAvailable: false }, { headers: { 'Retry-After': '5' } })
    const { fetch } = stubFetch(empty)
    const { data, retryAfterSeconds } = await createManagementClient({ ...withKey, fetch }).listEvents()
    expect([data?.events, retryAfterSeconds]).toEqual([[], 5])
  })

  it('waits longer if the server is asked to wait', async () => {
    vi.useFakeTimers()
    const { fetch } = stubFetch(silence)
    const poll = { ...post, method: 'GET', path: '/events', hasQuery: true } as const
    const call = createManagementOperation(poll, { ...withKey, fetch, timeoutMs: 1000 })
    const pending = call({ wait: 25 })
    const settled = vi.fn()
    pending.then(settled)
    await vi.advanceTimersByTimeAsync(25_900)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(200)
    expect((await pending).error?.code).toBe('no_answer')
    vi.useRealTimers()
  })
})
