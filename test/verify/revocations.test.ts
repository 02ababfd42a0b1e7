import { describe, expect } from 'vitest'
import { signToken } from './fake-feed.js'
import { eventually, it, outcome } from './fake-feed-test.js'

const [user, other, session, tenant, second] = Array.from({ length: 5 }, () => crypto.randomUUID()) as [
  string,
  string,
  string,
  string,
  string,
]

describe('a revoked token', () => {
  it('is refused if its generation is smaller than that of the user, or missing', async ({
    feed,
    followed,
  }) => {
    feed.add({ type: 'tokens-revoked', userId: user, generation: 5 })
    const verifier = await followed()
    const of = async (claims: object) => outcome(verifier, await signToken({ sub: user, ...claims }))
    expect(await of({ gen: 4 })).toBe('token_invalid')
    expect(await of({})).toBe('token_invalid')
    expect(await of({ gen: '5' })).toBe('token_invalid')
    expect(await of({ gen: 5 })).toBe('accepted')
    expect(await of({ gen: 6 })).toBe('accepted')
    expect(await of({ gen: 4, sub: other })).toBe('accepted')
  })

  it('is compared with the greatest generation, in whatever order they come', async ({ feed, followed }) => {
    for (const generation of [5, 7, 6]) feed.add({ type: 'tokens-revoked', userId: user, generation })
    const verifier = await followed()
    expect(await outcome(verifier, await signToken({ sub: user, gen: 6 }))).toBe('token_invalid')
    expect(await outcome(verifier, await signToken({ sub: user, gen: 7 }))).toBe('accepted')
  })

  it('is refused if its session has ended, or if it is that of the login of the session', async ({
    feed,
    followed,
  }) => {
    feed.add({ type: 'session-revoked', userId: user, sessionId: session })
    const verifier = await followed()
    const of = async (claims: object) => outcome(verifier, await signToken({ sub: user, ...claims }))
    expect(await of({ sid: session })).toBe('token_invalid')
    expect(await of({ jti: session })).toBe('token_invalid')
    expect(await of({ sid: other, jti: session })).toBe('accepted')
    expect(await of({ sid: session.toUpperCase() })).toBe('token_invalid')
    expect(await of({})).toBe('accepted')
  })

  it('is refused if its key was retired, and the keys are fetched again', async ({ feed, followed }) => {
    const verifier = await followed()
    const token = await signToken({ sub: user })
    expect(await outcome(verifier, token)).toBe('accepted')
    expect(feed.keyRequests).toBe(1)
    feed.add({ type: 'key-retired', kid: 'another' })
    feed.announce()
    await eventually(() => expect(feed.keyRequests).toBe(2))
    expect(await outcome(verifier, token)).toBe('accepted')
    feed.add({ type: 'key-retired', kid: 'first' })
    feed.announce()
    await eventually(async () => expect(await outcome(verifier, token)).toBe('token_invalid'))
  })

  it('is refused when the revocation arrives', async ({ feed, followed }) => {
    const verifier = await followed()
    const token = await signToken({ sub: user, gen: 4 })
    expect(await outcome(verifier, token)).toBe('accepted')
    feed.add({ type: 'tokens-revoked', userId: user, generation: 5 })
    feed.announce()
    await eventually(async () => expect(await outcome(verifier, token)).toBe('token_invalid'))
    const { error } = await verifier.verify(token)
    expect(error).toMatchObject({ status: 401, cause: { message: 'The token was revoked' } })
  })
})

describe('tenants and roles', () => {
  const claims = {
    sub: user,
    tenants_version: 5,
    tenants: [tenant, second],
    tenant_roles: { [tenant]: 'owner' },
  }
  const change = { type: 'token-claims-change', userId: user, tenantId: tenant }

  it.for<[string, object[], object, object]>([
    ['a later removal', [{ ...change, version: 6, role: null }], {}, { [second]: 'member' }],
    [
      'a later role',
      [{ ...change, version: 6, role: 'admin' }],
      {},
      { [tenant]: 'admin', [second]: 'member' },
    ],
    [
      'a change that the token has already',
      [{ ...change, version: 5, role: null }],
      {},
      { [tenant]: 'owner', [second]: 'member' },
    ],
    [
      'a change if the token has no version',
      [{ ...change, version: 1, role: null }],
      { tenants_version: undefined },
      { [second]: 'member' },
    ],
    [
      'the last of several changes',
      [
        { ...change, version: 6, role: null },
        { ...change, version: 7, role: 'editor' },
      ],
      {},
      { [tenant]: 'editor', [second]: 'member' },
    ],
    [
      'the change with the greatest version',
      [
        { ...change, version: 7, role: null },
        { ...change, version: 6, role: 'editor' },
      ],
      {},
      { [second]: 'member' },
    ],
    [
      'changes of other users and tenants',
      [
        { ...change, version: 9, role: null, userId: other },
        { ...change, version: 9, role: null, tenantId: other },
      ],
      {},
      { [tenant]: 'owner', [second]: 'member' },
    ],
    ['a deleted tenant', [{ type: 'tenant-deleted', tenantId: second }], {}, { [tenant]: 'owner' }],
    [
      'a deleted tenant whose membership had changed',
      [
        { type: 'tenant-deleted', tenantId: tenant },
        { ...change, version: 9, role: 'admin' },
      ],
      {},
      { [second]: 'member' },
    ],
  ])('show %s', async ([, revocations, changes, expected], { feed, followed }) => {
    feed.add(...(revocations as Record<string, unknown>[]))
    const { verify } = await followed()
    const { data } = await verify(await signToken({ ...claims, ...changes }))
    expect(data?.tenants).toEqual(Object.keys(expected))
    expect(data?.roles).toEqual(new Map(Object.entries(expected)))
    expect(data?.claims.tenants).toEqual([tenant, second])
  })

  it('stay unknown if the token leaves them out', async ({ feed, followed }) => {
    feed.add({ ...change, version: 6, role: null }, { type: 'tenant-deleted', tenantId: second })
    const { verify } = await followed()
    const withoutTenants = await signToken({ sub: user })
    expect((await verify(withoutTenants)).data).toMatchObject({ tenants: undefined, roles: undefined })
    const withoutRoles = await signToken({ ...claims, tenant_roles: undefined })
    expect((await verify(withoutRoles)).data).toMatchObject({ tenants: [], roles: undefined })
  })
})
