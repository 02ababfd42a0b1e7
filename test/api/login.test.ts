import { describe, expect } from 'vitest'
import { it } from '../support/api.js'
import { password, startApp, type TestApi } from '../support/app.js'

const email = 'ada@example.com'

const storedUser = (usher: TestApi, databaseId: string) =>
  usher.store.prisma.user.findFirstOrThrow({ where: { databaseId } })

describe('POST /users/login', () => {
  it('returns 200 with the id, all tenants and an accepted token', async ({ database }) => {
    const signedUp = await database.signedUp({ email, newTenant: 'Engines' })
    const response = await database.login({ email, password })
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      id: signedUp.id,
      tenants: signedUp.tenants,
      token: { jwt: expect.any(String), maxAge: 3600, type: 'ACCESS_TOKEN' },
    })
    expect((await database.me(response.json().token.jwt)).statusCode).toBe(200)
  })

  it.for([' ADA@EXAMPLE.COM ', 'Ada@Example.com'])(
    'accepts the email written as %j',
    async (entered, { database }) => {
      expect((await database.login({ email: entered, password })).statusCode).toBe(200)
    },
  )

  it('returns tenants in the order of joining', async ({ usher, clock }) => {
    const { id, signedUp, login } = await usher.newDatabase()
    const first = await signedUp({ email, newTenant: 'First' })
    const others = ['aaaaaaaa-0000-7000-8000-000000000000', '00000000-0000-7000-8000-000000000000']
    for (const [days, tenantId] of [...others.entries()].reverse()) {
      const joinedAt = new Date(clock.now + (days + 1) * 86_400_000)
      await usher.store.prisma.tenant.create({
        data: { databaseId: id, id: tenantId, name: 'T', createdAt: joinedAt },
      })
      await usher.store.prisma.membership.create({
        data: { databaseId: id, userId: first.id, tenantId, joinedAt },
      })
    }
    expect((await login({ email, password })).json().tenants).toEqual([...first.tenants, ...others])
  })
})

describe('failed logins', () => {
  it('returns a challenge for which no browser shows a dialog (RFC 9110 §15.5.2)', async ({ database }) => {
    const response = await database.login({ email: 'nobody@example.com', password })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe(`Password realm="${database.path}"`)
  })

  it('returns identical bytes for an unknown email, a wrong password and a disabled user', async ({
    usher,
    database,
  }) => {
    const disabled = await usher.newDatabase()
    await disabled.signedUp({ email })
    await usher.store.prisma.user.updateMany({
      where: { databaseId: disabled.id },
      data: { disabledAt: new Date() },
    })
    const requestId = 'same'
    const responses = await Promise.all(
      [
        { users: database.users, body: { email, password: 'wrong password' } },
        { users: database.users, body: { email: 'unknown@example.com', password } },
        { users: disabled.users, body: { email, password } },
      ].map(({ users, body }) =>
        usher.send({
          method: 'POST',
          url: `${users}/login`,
          payload: body,
          headers: { 'x-request-id': requestId },
        }),
      ),
    )
    const [wrong, unknown, ofDisabled] = responses.map(
      ({ statusCode, body, headers: { date: _, ...headers } }) => ({
        statusCode,
        body,
        headers,
      }),
    )
    const challenge = `Password realm="${disabled.path}"`
    expect(ofDisabled?.headers['www-authenticate']).toBe(challenge)
    expect(wrong).toMatchObject({ statusCode: 401 })
    expect(JSON.parse(wrong?.body ?? '').code).toBe('invalid_credentials')
    expect(unknown).toEqual(wrong)
    const disabledBody = ofDisabled?.body.replace(disabled.users, database.users)
    expect({
      ...ofDisabled,
      body: disabledBody,
      headers: { ...ofDisabled?.headers, 'content-length': '', 'www-authenticate': '' },
    }).toEqual({
      ...wrong,
      headers: { ...wrong?.headers, 'content-length': '', 'www-authenticate': '' },
    })
  })

  it.for([
    ['other letter case', 'Correct Horse Battery'],
    ['an extra space', `${password} `],
    ['its last character missing', password.slice(0, -1)],
    ['5000 characters', 'x'.repeat(5000)],
  ] as const)('returns 401 for a password with %s', async ([, candidate], { database }) => {
    expect((await database.login({ email, password: candidate })).statusCode).toBe(401)
  })

  it('does not apply the password policy at login', async ({ database }) => {
    const response = await database.login({ email: 'nobody@example.com', password: 'a' })
    expect(response.json().code).toBe('invalid_credentials')
  })

  it('returns 400 with all field errors of an invalid body', async ({ database }) => {
    const response = await database.login({ email: 'ada@' })
    expect(response.statusCode).toBe(400)
    expect(response.json().errors).toEqual([
      { path: 'email', code: 'email_invalid', detail: 'must be an email address' },
      { path: 'password', code: 'required', detail: 'is required' },
    ])
  })
})

describe('outdated hashes', () => {
  it('replaces a hash with outdated parameters at a successful login', async ({ usher }) => {
    const { id, signedUp, ...path } = await usher.newDatabase()
    await signedUp({ email })
    const before = (await storedUser(usher, id)).passwordHash
    const stronger = await startApp(usher.store, { ARGON2_PASSES: '2' })
    const { login } = stronger.client(path.workspaceSlug, path.databaseName)
    expect((await login({ email, password: 'wrong password' })).statusCode).toBe(401)
    expect((await storedUser(usher, id)).passwordHash).toBe(before)
    expect((await login({ email, password })).statusCode).toBe(200)
    const after = (await storedUser(usher, id)).passwordHash
    expect(after).toMatch(/^\$argon2id\$v=19\$m=8,t=2,p=1\$/)
    expect((await login({ email, password })).statusCode).toBe(200)
    expect((await storedUser(usher, id)).passwordHash).toBe(after)
    await stronger.close()
  })
})
