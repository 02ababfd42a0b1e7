import { expect } from 'vitest'
import { outcome } from '../support/codes.js'
import { lockWaits } from '../support/lock-waits.js'
import { createApiKey } from '../support/operator-changes.js'
import { it } from './invitations.js'

// On the embedded store, transactions run one after the other, and these tests show only that each order is right. On
// Postgres they run at the same time.

const grace = 'grace@example.com'
const rounds = 3

/** Runs requests at the same time. Returns their status codes, the lowest first. */
async function statusesOf(requests: Promise<{ statusCode: number }>[]) {
  const responses = await Promise.all(requests)
  return responses.map(({ statusCode }) => statusCode).sort()
}

it('concurrent uses of one code add one member', async ({ tenant }) => {
  const user = await tenant.verified(grace)
  const code = await tenant.invited(grace)
  const uses = Array.from({ length: 4 }, () => tenant.accept(code, user))
  expect(await statusesOf(uses)).toEqual([200, 400, 400, 400])
})

it('an invitation is either accepted or revoked', async ({ tenant }) => {
  for (let round = 0; round < rounds; round++) {
    const email = `user-${round}@example.com`
    const user = await tenant.verified(email)
    const code = await tenant.invited(email)
    const [pending] = await tenant.pending()
    const path = `tenants/${tenant.id}/invitations/${pending?.id}`
    const [accepted, revoked] = await Promise.all([
      tenant.accept(code, user),
      tenant.send(tenant.ada.token.jwt, 'DELETE', path),
    ])
    expect(revoked.statusCode).toBe(204)
    expect((await tenant.roles()).has(user.id)).toBe(accepted.statusCode === 200)
    expect([
      [200, undefined],
      [400, 'code_invalid'],
    ]).toContainEqual(outcome(accepted))
    expect(await tenant.pending()).toEqual([])
  }
})

it('one of several acceptances gets the last seat, also by a sign-up', async ({ tenant }) => {
  const users = await Promise.all(['a', 'b'].map((name) => tenant.verified(`${name}@example.com`)))
  const codes: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) codes.push(await tenant.invited(`${name}@example.com`))
  await tenant.setSeats(2)
  const requests = [
    ...users.map((user, index) => tenant.accept(codes[index] ?? '', user)),
    tenant.signUp('c@example.com', codes[2] ?? ''),
    tenant.signUp('d@example.com', codes[3] ?? ''),
  ]
  const [first = 0, ...others] = await statusesOf(requests)
  expect([first < 300, others]).toEqual([true, [409, 409, 409]])
  expect((await tenant.roles()).size).toBe(2)
})

it('an acceptance during the deletion of the tenant or the inviter is stored completely or not at all', async ({
  app,
  tenant,
}) => {
  const invalid = [400, 'code_invalid']
  const inviter = await tenant.joined('joan@example.com', 'admin')
  const user = await tenant.verified(grace)
  const code = await tenant.invited(grace, 'member', inviter)
  const [accepted, deleted] = await Promise.all([
    tenant.accept(code, user),
    app.as(inviter.token.jwt, 'POST', 'me/deletion', { password: 'correct horse battery' }),
  ])
  expect(deleted.statusCode).toBe(204)
  expect([[200, undefined], invalid]).toContainEqual(outcome(accepted))
  expect((await tenant.roles()).has(user.id)).toBe(accepted.statusCode === 200)

  const other = await tenant.verified('other@example.com')
  const last = await tenant.invited('other@example.com')
  const [joined, removed] = await Promise.all([
    tenant.accept(last, other),
    tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}`),
  ])
  expect(removed.statusCode).toBe(204)
  expect([[200, undefined], invalid]).toContainEqual(outcome(joined))
  expect((await app.me(other.token.jwt)).json().tenants).toEqual([])
})

it('an invitation that is sent again while its code is used is either accepted or replaced', async ({
  tenant,
}) => {
  for (let round = 0; round < rounds; round++) {
    const email = `user-${round}@example.com`
    const user = await tenant.verified(email)
    const code = await tenant.invited(email)
    const [accepted, again] = await Promise.all([tenant.accept(code, user), tenant.invite(email, 'admin')])
    const isMember = accepted.statusCode === 200
    expect(outcome(again)).toEqual(isMember ? [409, 'already_member'] : [201, undefined])
    expect((await tenant.roles()).get(user.id)).toBe(isMember ? 'member' : undefined)
    expect(await tenant.pending()).toHaveLength(isMember ? 0 : 1)
    await tenant.remove(user.id)
    const [pending] = await tenant.pending()
    if (pending)
      await tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}/invitations/${pending.id}`)
  }
})

it('a sign-up with the code at the same time as a sign-up without it makes one account', async ({
  app,
  tenant,
  usher,
}) => {
  const code = await tenant.invited(grace)
  const responses = await Promise.all([
    tenant.signUp(grace, code),
    app.createUser({ email: grace, password: 'correct horse battery' }),
  ])
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
  const isInvited = responses[0]?.statusCode === 201
  const where = { databaseId: app.id, canonicalEmail: grace }
  const users = await usher.store.prisma.user.findMany({ where })
  expect(users.map(({ emailVerifiedAt }) => emailVerifiedAt !== null)).toEqual([isInvited])
  expect(await tenant.pending()).toHaveLength(isInvited ? 0 : 1)
})

it('invitations at the same time do not exceed those of a tenant', async ({ app, tenant, usher }) => {
  const expiresAt = new Date(app.clock.now + 3_600_000)
  await usher.store.prisma.invitation.createMany({
    data: Array.from({ length: 98 }, (_, index) => ({
      databaseId: app.id,
      id: crypto.randomUUID(),
      tenantId: tenant.id,
      email: `user-${index}@example.com`,
      canonicalEmail: `user-${index}@example.com`,
      role: 'member',
      codeId: crypto.randomUUID(),
      createdAt: new Date(app.clock.now),
      expiresAt,
    })),
  })
  const requests = ['a', 'b', 'c', 'd'].map((name) => tenant.invite(`${name}@example.com`))
  expect(await statusesOf(requests)).toEqual([201, 201, 409, 409])
  expect(await tenant.pending()).toHaveLength(100)
})

it('an import of the invited address and a sign-up with the code make one account', async ({
  app,
  tenant,
  usher,
}) => {
  const { store } = usher
  const code = await tenant.invited(grace)
  const operation = { store, now: new Date(app.clock.now) }
  const scopes = ['users:write', 'tenants:write'] as const
  const backend = { name: 'backend', scopes: [...scopes], expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, app, backend)
  const other = { id: crypto.randomUUID(), name: 'Compilers' }
  const waits = (count: number) => expect.poll(() => lockWaits(store), { timeout: 10_000 }).toBe(count)

  const responses = await store.prisma.$transaction(
    async (holding) => {
      await holding.tenant.create({ data: { databaseId: app.id, ...other, createdAt: new Date() } })
      // Waits with the new user, before it needs the tenant of the invitation.
      const imported = usher.send({
        method: 'POST',
        url: app.users.replace(/users$/, 'management/users/import'),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        payload: JSON.stringify({ email: grace, tenants: [{ id: tenant.id, name: 'Engines' }, other] }),
      })
      await waits(1)
      const signedUp = tenant.signUp(grace, code)
      await waits(2)
      return [imported, signedUp] as const
    },
    { timeout: 20_000 },
  )
  const [imported, signedUp] = await Promise.all(responses)
  expect([imported.json().created, outcome(signedUp)]).toEqual([1, [409, 'email_taken']])
  expect(await tenant.pending()).toHaveLength(1)
})

it('an invitation that waits to be replaced does not delay the mails of other users', async ({
  app,
  tenant,
  usher,
}) => {
  const { store } = usher
  await tenant.invited(grace)
  await app.signedUp({ email: 'joan@example.com' })
  app.clock.now += 60_000

  const [again] = await store.prisma.$transaction(
    async (deleting) => {
      // As the deletion of the account that has sent it, which has left the tenant.
      await deleting.$queryRaw`
        SELECT FROM usher.invitation WHERE database_id = ${app.id}::uuid FOR UPDATE`
      const invited = tenant.invite(grace)
      await expect.poll(() => lockWaits(store), { timeout: 10_000 }).toBe(1)
      await app.resetCode('joan@example.com')
      return [invited]
    },
    { timeout: 20_000 },
  )
  expect((await again)?.statusCode).toBe(201)
})
