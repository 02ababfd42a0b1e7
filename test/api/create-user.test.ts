import { Scope } from '@usher/contract/management'
import { describe, expect } from 'vitest'
import { it } from '../support/api.js'
import { password, start, validUser } from '../support/app.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Returns the field errors of a response as `path code`. */
const errorsOf = (response: { json(): { errors: { path: string; code: string }[] } }) =>
  response.json().errors.map(({ path, code }) => `${path} ${code}`)

describe('POST /users', () => {
  it('returns 201 with an id, no tenants and an access token', async ({ database }) => {
    const response = await database.createUser(validUser())
    expect(response.statusCode).toBe(201)
    expect(response.json()).toEqual({
      id: expect.stringMatching(uuidv7),
      tenants: [],
      token: { jwt: expect.any(String), maxAge: 3600, type: 'ACCESS_TOKEN' },
    })
  })

  it('returns 403 if sign-up is off, while API keys and operators create users', async ({ usher }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { signUp: false })
    const refused = await database.createUser(validUser())
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'sign_up_closed'])
    const operation = { store: usher.store, now: new Date(usher.clock.now) }
    const { key } = await createApiKey(operation, database, {
      name: 'backend',
      scopes: Scope.options,
      expiresInSeconds: 60,
    })
    const added = await usher.send({
      method: 'POST',
      url: database.users.replace(/users$/, 'management/users'),
      headers: { authorization: `Bearer ${key}` },
      payload: { email: 'ada@example.com', password },
    })
    expect(added.statusCode).toBe(201)
    expect((await database.login({ email: 'ada@example.com', password })).statusCode).toBe(200)
  })

  it('creates the tenant named in newTenant and returns its id', async ({ usher, database }) => {
    const user = await database.signedUp({ newTenant: '  Analytical Engines ' })
    expect(user.tenants).toEqual([expect.stringMatching(uuidv7)])
    const tenants = await usher.store.prisma.tenant.findMany({ where: { databaseId: database.id } })
    expect(tenants).toMatchObject([{ id: user.tenants[0], name: 'Analytical Engines' }])
  })

  it('creates a tenant per user when two users give the same tenant name', async ({ database }) => {
    const one = await database.signedUp({ newTenant: 'Same' })
    const two = await database.signedUp({ newTenant: 'Same' })
    expect(one.tenants).not.toEqual(two.tenants)
  })

  it('stores the password only as an argon2id hash', async ({ usher, database }) => {
    const { id } = await database.signedUp({ password: 'a password to look for' })
    const row = await usher.store.prisma.user.findFirst({ where: { databaseId: database.id, id } })
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$/)
    expect(Object.values(row ?? {}).join()).not.toContain('a password to look for')
  })

  it('stores email and preferredName as entered, but trimmed', async ({ database }) => {
    const user = await database.signedUp({ email: '  Grace@Example.COM ', preferredName: ' Grace ' })
    const me = (await database.me(user.token.jwt)).json()
    expect(me).toMatchObject({ email: 'Grace@Example.COM', preferredName: 'Grace' })
  })

  it('stores an address in Unicode NFC, so that the Kelvin sign is a K', async ({ database }) => {
    const { token } = await database.signedUp({ email: '\u212aim@example.com' })
    expect((await database.me(token.jwt)).json().email).toBe('Kim@example.com')
    const taken = await database.createUser(validUser({ email: 'kim@example.com' }))
    expect(taken.json().code).toBe('email_taken')
  })

  it('rejects a new address that mail systems could confuse with another, but lets existing users log in', async ({
    usher,
    database,
  }) => {
    const email = 'stra\u1e9ee@example.com'
    const refused = await database.createUser(validUser({ email }))
    expect([refused.statusCode, refused.json().errors]).toEqual([
      400,
      [
        {
          path: 'email',
          code: 'email_invalid',
          detail: 'must not contain letters that mail systems may replace',
        },
      ],
    ])
    const { id } = await database.signedUp({ email: 'stra\u00dfe@example.com' })
    const where = { databaseId_id: { databaseId: database.id, id } }
    await usher.store.prisma.user.update({ where, data: { email } })
    expect((await database.login({ email, password })).json().id).toBe(id)
  })

  it('ignores unknown fields of a body, such as tenants and id', async ({ database }) => {
    const other = await database.signedUp({ newTenant: 'Other' })
    const user = await database.signedUp({ tenants: other.tenants, id: other.id, isAdmin: true })
    expect(user.tenants).toEqual([])
    expect(user.id).not.toBe(other.id)
  })

  it('sends Cache-Control: no-store with a created user', async ({ database }) => {
    const response = await database.createUser(validUser())
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('emails', () => {
  it.for([
    ['same spelling', 'taken@example.com'],
    ['other letter case', 'TAKEN@Example.Com'],
    ['surrounding spaces', ' taken@example.com '],
  ] as const)('returns 409 when the email is taken (%s)', async ([, email], { usher, database }) => {
    await database.createUser(validUser({ email: 'taken@example.com' }))
    const response = await database.createUser(validUser({ email, newTenant: 'Stray' }))
    expect(response.statusCode).toBe(409)
    expect(response.json().code).toBe('email_taken')
    expect(await usher.store.prisma.tenant.count({ where: { name: 'Stray' } })).toBe(0)
  })

  it.for([
    ['decomposed accents', 'jose\u0301@example.com', 'josé@example.com'],
    ['an international domain and its A-label', 'a@bücher.example', 'a@xn--bcher-kva.example'],
  ] as const)(
    'returns 409 when the email is taken in another form: %s',
    async ([, one, two], { database }) => {
      expect((await database.createUser(validUser({ email: one }))).statusCode).toBe(201)
      expect((await database.createUser(validUser({ email: two }))).statusCode).toBe(409)
    },
  )

  it.for([
    ['dots', 'ad.a@example.com', 'ada@example.com'],
    ['a plus tag', 'ada+1@example.com', 'ada+2@example.com'],
  ] as const)('treats emails that differ in %s as different', async ([, one, two], { usher }) => {
    const { createUser } = await usher.newDatabase()
    expect((await createUser(validUser({ email: one }))).statusCode).toBe(201)
    expect((await createUser(validUser({ email: two }))).statusCode).toBe(201)
  })

  it('accepts an email that is taken in another database', async ({ usher, database }) => {
    const other = await usher.newDatabase('standard', database.workspaceSlug)
    const email = 'both@example.com'
    expect((await database.createUser(validUser({ email }))).statusCode).toBe(201)
    expect((await other.createUser(validUser({ email }))).statusCode).toBe(201)
  })

  it.for([
    ['no @', 'ada.example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['only one domain label', 'ada@localhost'],
    ['an IPv4 address as its domain', 'ada@127.0.0.1'],
    ['a space', 'a da@example.com'],
    ['two consecutive dots', 'a..da@example.com'],
    ['a domain label that ends in a hyphen', 'ada@exam-.com'],
    ['a path', 'ada@example.com/x'],
    ['a port', 'ada@example.com:80'],
    ['angle brackets', '<ada@example.com>'],
    ['a line break', 'ada@example.com\r\nBcc: eve@example.com'],
    ['a control character', 'ada\u0007@example.com'],
    ['a NUL', 'ada\0@example.com'],
    ['a lone surrogate', 'ada\ud800@example.com'],
    ['65 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['255 characters', `${'a'.repeat(60)}@${`${'b'.repeat(48)}.`.repeat(3)}${'c'.repeat(47)}`],
    ['no characters', ''],
  ] as const)('returns email_invalid for an email with %s', async ([, email], { database }) => {
    const response = await database.createUser(validUser({ email }))
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual(['email email_invalid'])
  })

  it('accepts an email of 254 characters with 64 before the @', async ({ database }) => {
    const email = `${'a'.repeat(64)}@${`${'b'.repeat(46)}.`.repeat(4)}c`
    expect(email).toHaveLength(254)
    expect((await database.createUser(validUser({ email }))).statusCode).toBe(201)
  })
})

describe('passwords', () => {
  it.for([
    ['8 characters', 'x7$kPq2w'],
    ['256 characters', 'aZ'.repeat(128)],
    ['spaces and several scripts', 'пароль пароль 密码'],
    ['8 emoji, counted in code points', '🦊🐻🐼🐨🐯🦁🐮🐷'],
  ] as const)('accepts a password of %s', async ([, candidate], { database }) => {
    expect((await database.createUser(validUser({ password: candidate }))).statusCode).toBe(201)
  })

  it.for([
    ['that is too short', 'x7$kPq2', 'too_short'],
    ['that is too short after normalization', 'a\u0301'.repeat(7), 'too_short'],
    ['that is too long', 'aZ'.repeat(128).concat('!'), 'too_long'],
    ['that is common', 'password1', 'password_too_common'],
    ['that is common in capitals', 'PASSWORD1', 'password_too_common'],
    ['that is common in full-width letters', 'ｐａｓｓｗｏｒｄ１', 'password_too_common'],
    ['that is the email', 'Lovelace@example.com', 'password_is_email'],
    ['that is the local part of the email', 'LOVELACE', 'password_is_email'],
    ['that is empty', '', 'blank'],
    ['with a NUL', 'correct\0horse', 'invalid_character'],
    ['with a lone surrogate', 'correct \ud83d horse', 'invalid_character'],
  ] as const)('rejects a password %s', async ([, candidate, code], { database }) => {
    const body = validUser({ email: 'lovelace@example.com', password: candidate })
    const response = await database.createUser(body)
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual([`password ${code}`])
  })

  it('accepts any password from one character on under the none policy', async ({ usher }) => {
    const lenient = await usher.newDatabase('none')
    expect((await lenient.createUser(validUser({ password: '1' }))).statusCode).toBe(201)
    expect((await lenient.createUser(validUser({ password: 'password' }))).statusCode).toBe(201)
  })

  it('requires 15 characters under the nist policy', async ({ usher }) => {
    const strict = await usher.newDatabase('nist')
    expect(errorsOf(await strict.createUser(validUser({ password: 'x7$kPq2w-9fLm2' })))).toEqual([
      'password too_short',
    ])
    expect((await strict.createUser(validUser({ password: 'x7$kPq2w-9fLm2z' }))).statusCode).toBe(201)
  })

  it.for([
    ['x', { code: 'too_short', min: 8 }, 'password must have at least 8 characters'],
    ['x'.repeat(257), { code: 'too_long', max: 256 }, 'password must have at most 256 characters'],
    ['password1', { code: 'password_too_common' }, 'password must not be a common password'],
  ] as const)('names a violated rule of the policy in detail, and its limit', async (row, { database }) => {
    const [candidate, error, detail] = row
    const problem = (await database.createUser(validUser({ password: candidate }))).json()
    expect(problem.errors).toEqual([{ path: 'password', detail: expect.any(String), ...error }])
    expect(problem.detail).toBe(detail)
  })

  it('names errors of the contract and of the policy in detail', async ({ database }) => {
    const response = await database.createUser({ email: 'ada', password: 'x' })
    expect(response.json().detail).toBe(
      'email must be an email address; password must have at least 8 characters',
    )
  })

  it('accepts a password at login in another Unicode normalization form', async ({ database }) => {
    const email = 'norm@example.com'
    await database.signedUp({ email, password: 'ångström ﬁne' })
    const response = await database.login({ email, password: 'a\u030angstro\u0308m fine' })
    expect(response.statusCode).toBe(200)
  })
})

it('treats null as an absent preferredName and newTenant, also when a sign-up is repeated', async ({
  usher,
  database,
}) => {
  const body = validUser({ preferredName: null, newTenant: null })
  const headers = { 'idempotency-key': 'null' }
  const signUp = (payload: object) => usher.send({ method: 'POST', url: database.users, payload, headers })
  const response = await signUp(body)
  expect([response.statusCode, response.json().tenants]).toEqual([201, []])
  const { email, password } = body
  const again = await signUp({ email, password })
  expect([again.statusCode, again.json().id]).toEqual([201, response.json().id])
  expect((await database.me(again.json().token.jwt)).json().preferredName).toBeNull()
})

describe('invalid bodies', () => {
  it('returns the errors of all fields in one response', async ({ database }) => {
    const response = await database.createUser({
      email: 'nobody',
      password: 'short',
      preferredName: 7,
      newTenant: ' ',
    })
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('validation_failed')
    expect(errorsOf(response).sort()).toEqual([
      'email email_invalid',
      'newTenant blank',
      'password too_short',
      'preferredName invalid_type',
    ])
  })

  it.for([
    ['without fields', {}, ['email required', 'password required']],
    ['with nulls', { email: null, password: null }, ['email invalid_type', 'password invalid_type']],
    [
      'with a preferredName that is too long',
      validUser({ preferredName: 'x'.repeat(256) }),
      ['preferredName too_long'],
    ],
    ['with a newTenant that is too long', validUser({ newTenant: 'x'.repeat(256) }), ['newTenant too_long']],
    [
      'with a NUL in preferredName',
      validUser({ preferredName: 'A\0da' }),
      ['preferredName invalid_character'],
    ],
    ['that is an array', [], [' invalid_type']],
  ] as const)('returns field errors for a body %s', async ([, body, errors], { database }) => {
    const response = await database.createUser(body)
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual(errors)
  })

  it('stores nothing when a body is invalid', async ({ usher }) => {
    const { id, createUser } = await usher.newDatabase()
    await createUser(validUser({ newTenant: 'x'.repeat(256) }))
    expect(await usher.store.prisma.user.count({ where: { databaseId: id } })).toBe(0)
    expect(await usher.store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  })
})

describe('concurrent sign-ups', () => {
  it('creates one user and one tenant when thirty sign-ups use the same email', async ({ usher }) => {
    const { id, createUser } = await usher.newDatabase()
    const body = validUser({ newTenant: 'Race' })
    const responses = await Promise.all(Array.from({ length: 30 }, () => createUser(body)))
    const statuses = responses.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, ...Array(29).fill(409)])
    const created = responses.find(({ statusCode }) => statusCode === 201)?.json()
    const tenants = await usher.store.prisma.tenant.findMany({ where: { databaseId: id } })
    const memberships = await usher.store.prisma.membership.findMany({ where: { databaseId: id } })
    expect(tenants.map((tenant) => tenant.id)).toEqual(created.tenants)
    expect(memberships.map((membership) => membership.userId)).toEqual([created.id])
  })
})

it('sets createdAt from the injected clock', async ({ database }) => {
  const user = await database.signedUp()
  const me = (await database.me(user.token.jwt)).json()
  expect(me.createdAt).toBe(new Date(start).toISOString())
})
