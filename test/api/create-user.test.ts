import { describe, expect } from 'vitest'
import { it } from '../support/api.js'
import { start, validUser } from '../support/app.js'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The faults of a refused body as `path code`. */
const errorsOf = (response: { json(): { errors: { path: string; code: string }[] } }) =>
  response.json().errors.map(({ path, code }) => `${path} ${code}`)

describe('a sign-up', () => {
  it('answers 201 with an id, no tenants and an access token', async ({ database }) => {
    const response = await database.createUser(validUser())
    expect(response.statusCode).toBe(201)
    expect(response.json()).toEqual({
      id: expect.stringMatching(uuidv7),
      tenants: [],
      token: { jwt: expect.any(String), maxAge: 3600, type: 'ACCESS_TOKEN' },
    })
  })

  it('creates a tenant with newTenant and answers its id', async ({ usher, database }) => {
    const user = await database.signedUp({ newTenant: '  Analytical Engines ' })
    expect(user.tenants).toEqual([expect.stringMatching(uuidv7)])
    const tenants = await usher.store.prisma.tenant.findMany({ where: { databaseId: database.id } })
    expect(tenants).toMatchObject([{ id: user.tenants[0], name: 'Analytical Engines' }])
  })

  it('gives two users who name the same tenant a tenant each', async ({ database }) => {
    const one = await database.signedUp({ newTenant: 'Same' })
    const two = await database.signedUp({ newTenant: 'Same' })
    expect(one.tenants).not.toEqual(two.tenants)
  })

  it('stores the password as argon2id alone', async ({ usher, database }) => {
    const { id } = await database.signedUp({ password: 'a password to look for' })
    const row = await usher.store.prisma.user.findFirst({ where: { databaseId: database.id, id } })
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$/)
    expect(JSON.stringify(row)).not.toContain('a password to look for')
  })

  it('keeps the address and the name as entered, trimmed', async ({ database }) => {
    const user = await database.signedUp({ email: '  Grace@Example.COM ', preferredName: ' Grace ' })
    const me = (await database.me(user.token.jwt)).json()
    expect(me).toMatchObject({ email: 'Grace@Example.COM', preferredName: 'Grace' })
  })

  it('ignores fields that it does not know, the id of a tenant among them', async ({ database }) => {
    const other = await database.signedUp({ newTenant: 'Other' })
    const user = await database.signedUp({ tenants: other.tenants, id: other.id, isAdmin: true })
    expect(user.tenants).toEqual([])
    expect(user.id).not.toBe(other.id)
  })

  it('may not be cached', async ({ database }) => {
    const response = await database.createUser(validUser())
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('an address', () => {
  it.for([
    ['the same', 'taken@example.com'],
    ['in other letter case', 'TAKEN@Example.Com'],
    ['with spaces around', ' taken@example.com '],
    ['in full-width letters of the domain', 'taken@ｅｘａｍｐｌｅ.com'],
  ] as const)('that is taken is refused: %s', async ([, email], { usher, database }) => {
    await database.createUser(validUser({ email: 'taken@example.com' }))
    const response = await database.createUser(validUser({ email, newTenant: 'Stray' }))
    expect(response.statusCode).toBe(409)
    expect(response.json().code).toBe('email_taken')
    expect(await usher.store.prisma.tenant.count({ where: { name: 'Stray' } })).toBe(0)
  })

  it.for([
    ['decomposed accents', 'jose\u0301@example.com', 'josé@example.com'],
    ['an international domain and its A-label', 'a@bücher.example', 'a@xn--bcher-kva.example'],
  ] as const)('is one with its other form: %s', async ([, one, two], { database }) => {
    expect((await database.createUser(validUser({ email: one }))).statusCode).toBe(201)
    expect((await database.createUser(validUser({ email: two }))).statusCode).toBe(409)
  })

  it.for([
    ['dots', 'ad.a@example.com', 'ada@example.com'],
    ['a plus', 'ada+1@example.com', 'ada+2@example.com'],
  ] as const)('is not folded by %s', async ([, one, two], { usher }) => {
    const { createUser } = await usher.newDatabase()
    expect((await createUser(validUser({ email: one }))).statusCode).toBe(201)
    expect((await createUser(validUser({ email: two }))).statusCode).toBe(201)
  })

  it('may be used in another database', async ({ usher, database }) => {
    const other = await usher.newDatabase('standard', database.workspaceSlug)
    const email = 'both@example.com'
    expect((await database.createUser(validUser({ email }))).statusCode).toBe(201)
    expect((await other.createUser(validUser({ email }))).statusCode).toBe(201)
  })

  it.for([
    ['no @', 'ada.example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['one label only', 'ada@localhost'],
    ['an address of IPv4', 'ada@127.0.0.1'],
    ['a space', 'a da@example.com'],
    ['two dots', 'a..da@example.com'],
    ['a label that ends in a hyphen', 'ada@exam-.com'],
    ['a path', 'ada@example.com/x'],
    ['a port', 'ada@example.com:80'],
    ['angle brackets', '<ada@example.com>'],
    ['a control character', 'ada\u0007@example.com'],
    ['NUL', 'ada\0@example.com'],
    ['half a surrogate pair', 'ada\ud800@example.com'],
    ['65 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['255 characters', `${'a'.repeat(60)}@${`${'b'.repeat(48)}.`.repeat(3)}${'c'.repeat(47)}`],
    ['nothing', ''],
  ] as const)('with %s is no address', async ([, email], { database }) => {
    const response = await database.createUser(validUser({ email }))
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual(['email email_invalid'])
  })

  it('may have 64 characters before the @ and 254 in all', async ({ database }) => {
    const email = `${'a'.repeat(64)}@${`${'b'.repeat(46)}.`.repeat(4)}c`
    expect(email).toHaveLength(254)
    expect((await database.createUser(validUser({ email }))).statusCode).toBe(201)
  })
})

describe('a password', () => {
  it.for([
    ['of 8 characters', 'x7$kPq2w'],
    ['of 256 characters', 'aZ'.repeat(128)],
    ['of spaces and any script', 'пароль пароль 密码'],
    ['counted in code points', '🦊🐻🐼🐨🐯🦁🐮🐷'],
  ] as const)('is accepted %s', async ([, candidate], { database }) => {
    expect((await database.createUser(validUser({ password: candidate }))).statusCode).toBe(201)
  })

  it.for([
    ['too short', 'x7$kPq2', 'too_short'],
    ['too short once normalized', 'a\u0301'.repeat(7), 'too_short'],
    ['too long', 'aZ'.repeat(128).concat('!'), 'too_long'],
    ['common', 'password1', 'password_too_common'],
    ['common in capitals', 'PASSWORD1', 'password_too_common'],
    ['common in full width', 'ｐａｓｓｗｏｒｄ１', 'password_too_common'],
    ['the address', 'Lovelace@example.com', 'password_is_email'],
    ['the first part of the address', 'LOVELACE', 'password_is_email'],
    ['empty', '', 'blank'],
    ['with NUL', 'correct\0horse', 'invalid_character'],
    ['with half a surrogate pair', 'correct \ud83d horse', 'invalid_character'],
  ] as const)('is refused when %s', async ([, candidate, code], { database }) => {
    const body = validUser({ email: 'lovelace@example.com', password: candidate })
    const response = await database.createUser(body)
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual([`password ${code}`])
  })

  it('is taken by the policy none from one character on', async ({ usher }) => {
    const lenient = await usher.newDatabase('none')
    expect((await lenient.createUser(validUser({ password: '1' }))).statusCode).toBe(201)
    expect((await lenient.createUser(validUser({ password: 'password' }))).statusCode).toBe(201)
  })

  it('needs 15 characters by the policy nist', async ({ usher }) => {
    const strict = await usher.newDatabase('nist')
    expect(errorsOf(await strict.createUser(validUser({ password: 'x7$kPq2w-9fLm2' })))).toEqual([
      'password too_short',
    ])
    expect((await strict.createUser(validUser({ password: 'x7$kPq2w-9fLm2z' }))).statusCode).toBe(201)
  })

  it('is the same in every normalization form', async ({ database }) => {
    const email = 'norm@example.com'
    await database.signedUp({ email, password: 'ångström ﬁne' })
    const response = await database.login({ email, password: 'a\u030angstro\u0308m fine' })
    expect(response.statusCode).toBe(200)
  })
})

describe('a faulty body', () => {
  it('gets every fault at once, by field', async ({ database }) => {
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
    ['with a name too long', validUser({ preferredName: 'x'.repeat(256) }), ['preferredName too_long']],
    ['with a tenant too long', validUser({ newTenant: 'x'.repeat(256) }), ['newTenant too_long']],
    ['with NUL in a name', validUser({ preferredName: 'A\0da' }), ['preferredName invalid_character']],
    ['that is a list', [], [' invalid_type']],
  ] as const)('%s is told what is wrong', async ([, body, faults], { database }) => {
    const response = await database.createUser(body)
    expect(response.statusCode).toBe(400)
    expect(errorsOf(response)).toEqual(faults)
  })

  it('writes nothing', async ({ usher }) => {
    const { id, createUser } = await usher.newDatabase()
    await createUser(validUser({ newTenant: 'x'.repeat(256) }))
    expect(await usher.store.prisma.user.count({ where: { databaseId: id } })).toBe(0)
    expect(await usher.store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  })
})

describe('thirty sign-ups of one address at once', () => {
  it('have one winner and leave no tenant of another', async ({ usher }) => {
    const { id, createUser } = await usher.newDatabase()
    const body = validUser({ newTenant: 'Race' })
    const responses = await Promise.all(Array.from({ length: 30 }, () => createUser(body)))
    const statuses = responses.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, ...Array(29).fill(409)])
    const winner = responses.find(({ statusCode }) => statusCode === 201)?.json()
    const tenants = await usher.store.prisma.tenant.findMany({ where: { databaseId: id } })
    const memberships = await usher.store.prisma.membership.findMany({ where: { databaseId: id } })
    expect(tenants.map((tenant) => tenant.id)).toEqual(winner.tenants)
    expect(memberships.map((membership) => membership.userId)).toEqual([winner.id])
  })
})

it('signs up by the injected clock', async ({ database }) => {
  const user = await database.signedUp()
  const me = (await database.me(user.token.jwt)).json()
  expect(me.createdAt).toBe(new Date(start).toISOString())
})
