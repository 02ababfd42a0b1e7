import { expect } from 'vitest'
import { password, type TestApi, type TestDatabase } from '../support/app.js'
import { newPassword } from '../support/codes.js'
import { disableUser } from '../support/operator-changes.js'
import { ada, it, next } from './email-change.js'

// On the embedded store, transactions run one after the other, and these tests show only that each order is right. On
// Postgres they run at the same time.

const statusOf = ({ statusCode }: { statusCode: number }) => statusCode

/** Returns the accounts of a database that have an address, and those that it is reserved for. */
async function holders({ store }: TestApi, { id: databaseId }: TestDatabase, canonicalEmail: string) {
  return store.prisma.user.findMany({ where: { databaseId, canonicalEmail } })
}

it('only one of two users who change to the same address gets it', async ({ app, address, usher }) => {
  for (const round of [1, 2, 3]) {
    const wanted = `wanted-${round}@example.com`
    const users = await Promise.all(
      ['one', 'two'].map((name) => app.signedUp({ email: `${name}-${round}@example.com` })),
    )
    const codes: string[] = []
    for (const { token } of users) {
      codes.push(await address.requested(token.jwt, wanted))
      app.clock.now += 61_000
    }
    const responses = await Promise.all(codes.map((code) => address.confirm(code)))
    expect(responses.map(statusOf).sort()).toEqual([200, 409])
    const winner = users[responses.findIndex(({ statusCode }) => statusCode === 200)]
    expect(await holders(usher, app, wanted)).toMatchObject([{ id: winner?.id, reservedFor: null }])
  }
})

it('a sign-up with the former address is refused in every order', async ({ app, address, usher }) => {
  for (const round of [1, 2, 3]) {
    const [from, to] = [`from-${round}@example.com`, `to-${round}@example.com`]
    const { token, id } = await app.signedUp({ email: from })
    await app.markVerified(from)
    const code = await address.requested(token.jwt, to)
    const signUps = Array.from({ length: 4 }, () => app.createUser({ email: from, password }))
    const [changed, ...others] = await Promise.all([address.confirm(code), ...signUps])
    expect([statusOf(changed), ...others.map(statusOf)]).toEqual([200, 409, 409, 409, 409])
    expect(await holders(usher, app, from)).toMatchObject([{ reservedFor: id }])
  }
})

it('a sign-up with the new address and the change cannot both succeed', async ({ app, address, usher }) => {
  for (const round of [1, 2, 3]) {
    const to = `to-${round}@example.com`
    const { token } = await app.signedUp({ email: `from-${round}@example.com` })
    const code = await address.requested(token.jwt, to)
    const [changed, signedUp] = await Promise.all([
      address.confirm(code),
      app.createUser({ email: to, password }),
    ])
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([statusOf(changed), statusOf(signedUp)])
    expect(await holders(usher, app, to)).toHaveLength(1)
  }
})

it('only one of a change of the address and a reset of the password succeeds', async ({ app, address }) => {
  const { token, id } = await app.signedUp({ email: ada })
  const resetCode = await address.resetCode(ada)
  const code = await address.requested(token.jwt, next)
  const [changed, reset] = await Promise.all([address.confirm(code), app.reset(resetCode)])
  expect([
    [200, 400],
    [400, 200],
  ]).toContainEqual([statusOf(changed), statusOf(reset)])
  const isChanged = changed.statusCode === 200
  const login = await app.login({
    email: isChanged ? next : ada,
    password: isChanged ? password : newPassword,
  })
  expect(login.json().id).toBe(id)
})

it('a change and a deletion leave either no user or no change', async ({ app, address }) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  const code = await address.requested(token.jwt, next)
  const [changed, deleted] = await Promise.all([
    address.confirm(code),
    app.as(token.jwt, 'POST', 'me/deletion', { password }),
  ])
  expect([
    [200, 401],
    [400, 204],
  ]).toContainEqual([statusOf(changed), statusOf(deleted)])
  expect(await address.rows()).toHaveLength(changed.statusCode === 200 ? 2 : 0)
})

it('a change at the same time as disabling leaves the user disabled', async ({ app, address, usher }) => {
  const { token, id } = await app.signedUp({ email: ada })
  const code = await address.requested(token.jwt, next)
  const operation = { store: usher.store, now: new Date(app.clock.now) }
  const [changed] = await Promise.all([address.confirm(code), disableUser(operation, app, id)])
  expect([200, 400]).toContain(changed.statusCode)
  const user = (await address.rows()).find((row) => row.id === id)
  const canonicalEmail = changed.statusCode === 200 ? next : ada
  expect(user).toMatchObject({ canonicalEmail, disabledAt: expect.any(Date) })
})

it('an undo wins over a second change, whichever is first', async ({ app, address, usher }) => {
  for (const round of [1, 2, 3]) {
    const [from, to, third] = ['a', 'b', 'c'].map((name) => `${name}-${round}@example.com`) as [
      string,
      string,
      string,
    ]
    const { token, id } = await app.signedUp({ email: from })
    const undoCode = await address.changed(token.jwt, from, to)
    const code = await address.requested(await address.loggedIn(to), third)
    const [undone, changed] = await Promise.all([address.undo(undoCode), address.confirm(code)])
    expect(undone.statusCode).toBe(200)
    expect([200, 400]).toContain(changed.statusCode)
    expect(await holders(usher, app, from)).toMatchObject([{ id, reservedFor: null }])
    expect(await holders(usher, app, to)).toEqual([])
    expect(await holders(usher, app, third)).toEqual([])
  }
})

it('only one of several concurrent uses of a code succeeds', async ({ app, address }) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  const code = await address.requested(token.jwt, next)
  const uses = await Promise.all([1, 2, 3].map(() => address.confirm(code)))
  expect(uses.map(statusOf).sort()).toEqual([200, 400, 400])
  const undoCode = await address.codeTo(ada, 'undo-email-change')
  const undos = await Promise.all([1, 2, 3].map(() => address.undo(undoCode)))
  expect(undos.map(statusOf).sort()).toEqual([200, 400, 400])
})
