import { UserLine } from '@usher/contract/management'
import { describe, expect } from 'vitest'
import { exportUsers } from '../../server/domain/management/users/export-users.js'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { firebaseExample, passwordVectors, unnormalized, vectorPassword } from '../domain/password-vectors.js'
import { it as apiTest } from '../support/api.js'
import { password } from '../support/app.js'
import { dummyHashesOf, importAll, linesOf } from '../support/lines.js'

const email = 'ada@example.com'
const bcryptHash = '$2b$04$W9aN1Tz27FRKl8gKuX.gBulgjqiNj1qVOT4IIyQLorvS2uGgrOq.i'
const uuid = (digit: string) => `${digit.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`

const it = apiTest
  .extend('passwordHashOf', ({ store }) => async (databaseId: string) => {
    const user = await store.prisma.user.findFirstOrThrow({ where: { databaseId } })
    return user.passwordHash
  })
  .extend('imported', ({ usher }) => async (...lines: unknown[]) => {
    const database = await usher.newDatabase()
    return { ...database, result: await importAll(usher, database.id, linesOf(...lines)) }
  })
  .extend('exported', ({ store }) => async (databaseId: string) => {
    const lines: string[] = []
    for await (const line of exportUsers(store, databaseId, { now: new Date() }))
      lines.push(JSON.stringify(line))
    return lines
  })

describe.each(passwordVectors)('users imported with %s', (_name, passwordHash) => {
  it('accepts the password of an imported user and re-hashes it with argon2id', async ({
    imported,
    passwordHashOf,
  }) => {
    const { id, login } = await imported({ email, passwordHash })
    expect((await login({ email, password: `${vectorPassword}!` })).statusCode).toBe(401)
    expect((await login({ email: 'nobody@example.com', password: vectorPassword })).statusCode).toBe(401)
    expect(await passwordHashOf(id)).toBe(passwordHash)
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(200)
    const rehashed = await passwordHashOf(id)
    expect(rehashed).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(200)
    expect(await passwordHashOf(id)).toBe(rehashed)
    expect((await login({ email, password: `${vectorPassword}!` })).statusCode).toBe(401)
  })

  it('records a dummy hash with the hash parameters of an imported user', async ({ imported, store }) => {
    const { id } = await imported({ email, passwordHash })
    expect(await dummyHashesOf(store, id)).toEqual([dummyHashOf(passwordHash)])
  })
})

it('accepts a password hashed without NFKC as entered, and after that in NFKC too', async ({ imported }) => {
  const { login } = await imported({ email, passwordHash: unnormalized.hash })
  const inNfkc = unnormalized.password.normalize('NFKC')
  expect((await login({ email, password: inNfkc })).statusCode).toBe(401)
  expect((await login({ email, password: unnormalized.password })).statusCode).toBe(200)
  expect((await login({ email, password: inNfkc })).statusCode).toBe(200)
})

it('accepts the password of the published Firebase example', async ({ imported }) => {
  const { login } = await imported({ email, passwordHash: firebaseExample.hash })
  expect((await login({ email, password: firebaseExample.password })).statusCode).toBe(200)
})

it('imports a user without a password hash, whom no password logs in', async ({ imported, exported }) => {
  const { id, login, createUser, result } = await imported({ email })
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
  expect((await login({ email, password })).statusCode).toBe(401)
  expect((await createUser({ email, password })).json().code).toBe('email_taken')
  expect(JSON.parse((await exported(id))[0] ?? '')).not.toHaveProperty('passwordHash')
})

describe('lines of an import', () => {
  it('imports all fields of a user', async ({ store, imported }) => {
    const { id, login, me } = await imported({
      id: uuid('A'),
      email: ' Ada@Example.com ',
      passwordHash: bcryptHash,
      preferredName: ' Ada ',
      tenants: [{ id: uuid('b'), name: 'Engines' }, { name: 'Looms' }],
      emailVerifiedAt: '2024-06-01T00:00:00Z',
      createdAt: '2024-05-01T12:34:56.789123+02:00',
    })
    const loggedIn = (await login({ email, password: vectorPassword })).json()
    expect(loggedIn).toMatchObject({ id: uuid('a'), tenants: [uuid('b'), expect.any(String)] })
    expect((await me(loggedIn.token.jwt)).json()).toMatchObject({
      id: uuid('a'),
      email: 'Ada@Example.com',
      preferredName: 'Ada',
      emailVerified: true,
      tenants: loggedIn.tenants,
      memberships: [
        { id: uuid('b'), name: 'Engines', joinedAt: '2024-05-01T10:34:56.789Z' },
        { id: loggedIn.tenants[1], name: 'Looms', joinedAt: '2024-05-01T10:34:56.790Z' },
      ],
      createdAt: '2024-05-01T10:34:56.789Z',
    })
    const tenants = await store.prisma.tenant.findMany({ where: { databaseId: id } })
    expect(tenants.map(({ name }) => name).sort()).toEqual(['Engines', 'Looms'])
  })

  it('treats null like an absent field', async ({ imported }) => {
    const nulls = Object.keys(UserLine.shape).filter((field) => field !== 'email')
    const { result } = await imported({
      email,
      ...Object.fromEntries(nulls.map((field) => [field, null])),
    })
    expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
  })

  it('imports a disabled user, who cannot log in', async ({ imported }) => {
    const { login } = await imported({
      email,
      passwordHash: bcryptHash,
      disabledAt: '2024-05-01T00:00:00Z',
    })
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(401)
  })

  it('adds users with the same tenant id to one tenant, within a batch and in later imports', async ({
    usher,
    store,
    imported,
  }) => {
    const tenants = [{ id: uuid('c'), name: 'Shared' }]
    const { id } = await imported({ email, tenants }, { email: 'b@example.com', tenants })
    const renamed = [{ id: uuid('C'), name: 'Other name' }]
    await importAll(usher, id, linesOf({ email: 'c@example.com', tenants: renamed }))
    const [tenant, ...others] = await store.prisma.tenant.findMany({
      where: { databaseId: id },
      include: { memberships: true },
    })
    expect(others).toEqual([])
    expect(tenant).toMatchObject({ id: uuid('c'), name: 'Shared' })
    expect(tenant?.memberships).toHaveLength(3)
  })

  it.for([
    [
      'invalid JSON, which the error does not quote',
      `{"email":"${email}","passwordHash":"${bcryptHash}`,
      'is not JSON',
    ],
    ['an array', [1], 'must be an object'],
    ['no email', {}, expect.stringMatching(/^email: /)],
    ['an invalid email', { email: 'ada' }, 'email: must be an email address'],
    ['an unknown field', { email, password_hash: 'x' }, 'has unknown fields: password_hash'],
    ['a blank preferredName', { email, preferredName: ' ' }, expect.stringMatching(/^preferredName: /)],
    [
      'a NUL in preferredName',
      { email, preferredName: 'a\0' },
      'preferredName: must be Unicode text without NUL',
    ],
    [
      'a lone surrogate',
      `{"email":"${email}","preferredName":"\\ud800"}`,
      'preferredName: must be Unicode text without NUL',
    ],
    ['an id that is not a UUID', { email, id: 'auth0|1' }, expect.stringMatching(/^id: /)],
    ['the nil UUID', { email, id: '00000000-0000-0000-0000-000000000000' }, 'id: must not be the nil UUID'],
    [
      'a tenant without a name',
      { email, tenants: [{ id: uuid('b') }] },
      expect.stringMatching(/^tenants\.0\.name: /),
    ],
    [
      'a day that does not exist',
      { email, createdAt: '2023-02-30T00:00:00Z' },
      expect.stringMatching(/^createdAt: /),
    ],
    [
      'a time without a zone',
      { email, createdAt: '2023-02-01T00:00:00' },
      expect.stringMatching(/^createdAt: /),
    ],
    [
      'a time that Postgres does not support',
      { email, createdAt: '0000-01-01T00:00:00Z' },
      'createdAt: must be a time from 1970 to 9999',
    ],
    [
      'a hash of an unknown format',
      { email, passwordHash: 'hunter2' },
      'passwordHash: has an unknown format',
    ],
    ['an empty hash', { email, passwordHash: '' }, 'passwordHash: has an unknown format'],
    [
      'bcrypt with a cost that is too high',
      { email, passwordHash: bcryptHash.replace('04', '15') },
      'passwordHash: takes 1.6 s to verify. The maximum is 1.0 s and 256 MiB',
    ],
    [
      'bcrypt with the highest cost',
      { email, passwordHash: bcryptHash.replace('04', '31') },
      expect.stringContaining('takes 107374.2 s'),
    ],
    [
      'argon2 with too much memory',
      { email, passwordHash: `$argon2id$v=19$m=999999999,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` },
      expect.stringContaining('976563 MiB to verify'),
    ],
    [
      'argon2 with too many passes',
      { email, passwordHash: `$argon2id$v=19$m=8,t=999999999,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'scrypt with too much memory',
      { email, passwordHash: `$scrypt$ln=19,r=8,p=1$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('513 MiB to verify'),
    ],
    [
      'scrypt with too much time',
      { email, passwordHash: `$scrypt$ln=10,r=8,p=99999$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'Firebase scrypt with too much memory',
      { email, passwordHash: firebaseExample.hash.replace('n=14', 'n=30') },
      expect.stringContaining('1048577 MiB to verify'),
    ],
    [
      'PBKDF2 with too many iterations',
      { email, passwordHash: `$pbkdf2-sha256$i=999999999$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'PBKDF2 with too many blocks',
      { email, passwordHash: `pbkdf2_sha1$4000000$salt$${'A'.repeat(86)}` },
      expect.stringContaining('takes 4.8 s to verify'),
    ],
  ] as const)('rejects only the invalid line of three: %s', async ([, line, reason], { imported }) => {
    const neighbours = [{ email: 'a@example.com' }, { email: 'b@example.com' }] as const
    const { result } = await imported(neighbours[0], line, neighbours[1])
    expect(result).toEqual({ added: 2, alreadyThere: 0, rejected: [expect.any(String)] })
    expect(result.rejected[0]).toMatch(/^2 /)
    expect(result.rejected[0]?.slice(2)).toEqual(reason)
    expect(result.rejected[0]).not.toContain('W9aN1Tz27FRKl8')
  })

  it('reports all errors of a line together', async ({ imported }) => {
    const { result } = await imported({ email: 'ada', id: 'x', preferredName: '' })
    expect(result.rejected[0]).toMatch(/^1 id: .*; email: .*; preferredName: /)
  })
})

describe('sets of hash parameters', () => {
  const withIterations = (iterations: number) => `$pbkdf2-sha256$i=${iterations}$AAAA$${'A'.repeat(42)}E`

  it('limits the verification time of all sets of hash parameters over all imports', async ({
    usher,
    imported,
    store,
  }) => {
    const lines = [1, 2, 3, 4, 5].map((index) => ({
      email: `user${index}@example.com`,
      passwordHash: withIterations(1_600_000 + index),
    }))
    const { id, result } = await imported(...lines)
    const errorOfLine = (number: number) =>
      `${number} passwordHash: has one set of hash parameters too many. A failed login verifies one hash of each, in 2.0 s at most`
    expect(result).toEqual({ added: 4, alreadyThere: 0, rejected: [errorOfLine(5)] })
    const later = [
      { email: 'same-kind@example.com', passwordHash: withIterations(1_600_001) },
      { email: 'other-kind@example.com', passwordHash: withIterations(1_600_006) },
    ]
    expect(await importAll(usher, id, linesOf(...later))).toEqual({
      added: 1,
      alreadyThere: 0,
      rejected: [errorOfLine(2)],
    })
    expect(await dummyHashesOf(store, id)).toHaveLength(4)
  })
})

describe('emails of an import', () => {
  it('leaves an existing user with the same email unchanged', async ({ usher, store }) => {
    const { id, signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    const line = { email: 'ADA@example.com', passwordHash: bcryptHash, tenants: [{ name: 'Not made' }] }
    expect(await importAll(usher, id, linesOf(line))).toEqual({
      added: 0,
      alreadyThere: 1,
      rejected: [],
    })
    expect((await login({ email, password })).statusCode).toBe(200)
    expect(await store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  })

  it('counts the email of an earlier line as existing, in the same batch and in later ones', async ({
    usher,
    imported,
    store,
  }) => {
    const others = Array.from({ length: 1200 }, (_, index) => ({ email: `user${index}@example.com` }))
    const again = { passwordHash: bcryptHash, tenants: [{ name: 'Not made' }] }
    const lines = [{ email }, { email: 'ADA@EXAMPLE.com', ...again }, ...others, { email, ...again }]
    const { id, result } = await imported(...lines)
    expect(result).toEqual({ added: 1201, alreadyThere: 2, rejected: [] })
    expect(await store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
    expect(await importAll(usher, id, linesOf(...lines))).toEqual({
      added: 0,
      alreadyThere: 1203,
      rejected: [],
    })
  })

  it('accepts the email of an earlier line that was rejected', async ({ imported }) => {
    const { result } = await imported({ email, id: 'x' }, { email })
    expect(result).toMatchObject({ added: 1, rejected: [expect.stringMatching(/^1 id: /)] })
  })

  it('accepts the email of an earlier line that was rejected for its id', async ({ imported }) => {
    const { result } = await imported(
      { id: uuid('d'), email },
      { id: uuid('d'), email: 'b@example.com' },
      { email: 'b@example.com' },
    )
    expect(result).toEqual({ added: 2, alreadyThere: 0, rejected: ['2 id: belongs to another user'] })
  })
})

it('rejects the id of an earlier user of the file or of the store', async ({ usher, imported }) => {
  const { id, result } = await imported({ id: uuid('d'), email: 'b@example.com' }, { id: uuid('D'), email })
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: ['2 id: belongs to another user'] })
  expect(await importAll(usher, id, linesOf({ id: uuid('d'), email: 'c@example.com' }))).toEqual({
    added: 0,
    alreadyThere: 0,
    rejected: ['1 id: belongs to another user'],
  })
})

it('ignores blank lines', async ({ imported }) => {
  const { result } = await imported('', { email }, ' \r')
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
})

it('stores nothing of a failed batch, and everything when the import is repeated', async ({
  usher,
  store,
}) => {
  const { id } = await usher.newDatabase()
  const lines = linesOf({ email, tenants: [{ name: 'Engines' }] }, { email: 'b@example.com' })
  await store.prisma.$executeRaw`
    ALTER TABLE usher.membership ADD CONSTRAINT refuse_all CHECK (joined_at < '1970-01-01') NOT VALID`
  await expect(importAll(usher, id, lines)).rejects.toThrow('refuse_all')
  await store.prisma.$executeRaw`ALTER TABLE usher.membership DROP CONSTRAINT refuse_all`
  expect(await store.prisma.user.count({ where: { databaseId: id } })).toBe(0)
  expect(await store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  expect(await importAll(usher, id, lines)).toEqual({ added: 2, alreadyThere: 0, rejected: [] })
})

it('adds each user once when two imports of one file run concurrently', async ({ usher, store }) => {
  const { id } = await usher.newDatabase()
  const users = Array.from({ length: 1000 }, (_, index) => ({
    email: `user${index}@example.com`,
    tenants: [{ name: 'Own' }],
  }))
  const results = await Promise.all([1, 2].map(() => importAll(usher, id, linesOf(...users))))
  expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(1000)
  expect(results.flatMap(({ rejected }) => rejected)).toEqual([])
  expect(await store.prisma.membership.count({ where: { databaseId: id } })).toBe(1000)
})

describe('exports', () => {
  it('exports the same lines after an import into another database', async ({ imported, exported }) => {
    const shared = { id: uuid('e'), name: 'Shared “名”' }
    const from = await imported(
      {
        email: 'Åsa@Bücher.example',
        preferredName: '"\\ 🙂',
        tenants: [{ name: 'Z' }, shared, { name: 'A' }],
      },
      { email: 'disabled@example.com', disabledAt: '2024-01-02T03:04:05.678Z', tenants: [shared] },
      { email: 'hash@example.com', passwordHash: bcryptHash },
      ...Array.from({ length: 500 }, (_, index) => ({ email: `user${index}@example.com` })),
    )
    const { token } = await from.signedUp({ email: 'own@example.com', newTenant: 'Own' })
    const lines = await exported(from.id)
    expect(lines).toHaveLength(504)

    const to = await imported(...lines)
    expect(to.result).toEqual({ added: 504, alreadyThere: 0, rejected: [] })
    expect(await exported(to.id)).toEqual(lines)
    expect((await to.login({ email: 'own@example.com', password })).statusCode).toBe(200)
    expect((await to.me(token.jwt)).json().code).toBe('token_invalid')
  })

  it('exports nothing from a database without users', async ({ usher, exported }) => {
    expect(await exported((await usher.newDatabase()).id)).toEqual([])
  })
})
