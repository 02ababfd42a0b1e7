import { describe, expect } from 'vitest'
import { exportUsers } from '../../server/domain/admin/import-export/export-users.js'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { it as apiTest } from '../support/api.js'
import { password } from '../support/app.js'
import { importAll, linesOf } from '../support/lines.js'
import {
  firebaseExample,
  passwordVectors,
  unnormalized,
  vectorPassword,
} from '../support/password-vectors.js'

const email = 'ada@example.com'
const bcryptHash = '$2b$04$W9aN1Tz27FRKl8gKuX.gBulgjqiNj1qVOT4IIyQLorvS2uGgrOq.i'
const uuid = (digit: string) => `${digit.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`

const it = apiTest
  .extend(
    'databaseRow',
    ({ store }) =>
      (id: string) =>
        store.prisma.database.findUniqueOrThrow({ where: { id } }),
  )
  .extend('passwordHashOf', ({ store }) => async (databaseId: string) => {
    const user = await store.prisma.user.findFirstOrThrow({ where: { databaseId } })
    return user.passwordHash
  })
  /** A new database with lines imported into it. */
  .extend('imported', ({ usher }) => async (...lines: unknown[]) => {
    const database = await usher.newDatabase()
    return { ...database, result: await importAll(usher.context, database.id, linesOf(...lines)) }
  })
  .extend('exported', ({ store }) => async (databaseId: string) => {
    const lines: string[] = []
    for await (const line of exportUsers(store, databaseId)) lines.push(line)
    return lines
  })

describe.each(passwordVectors)('a user who moved in with %s', (_what, passwordHash) => {
  it('logs in with the password, and has argon2id from then on', async ({ imported, passwordHashOf }) => {
    const { id, login } = await imported({ email, passwordHash })
    expect((await login({ email, password: `${vectorPassword}!` })).statusCode).toBe(401)
    expect((await login({ email: 'nobody@example.com', password: vectorPassword })).statusCode).toBe(401)
    expect(await passwordHashOf(id)).toBe(passwordHash)
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(200)
    const renewed = await passwordHashOf(id)
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(200)
    expect(await passwordHashOf(id)).toBe(renewed)
    expect((await login({ email, password: `${vectorPassword}!` })).statusCode).toBe(401)
  })

  it('makes the database know the shape of the hash', async ({ imported, databaseRow }) => {
    const { id } = await imported({ email, passwordHash })
    expect((await databaseRow(id)).dummyHashes).toEqual([dummyHashOf(passwordHash)])
  })
})

it('a password that was hashed as entered logs in as entered, and later in NFKC too', async ({
  imported,
}) => {
  const { login } = await imported({ email, passwordHash: unnormalized.hash })
  const inNfkc = unnormalized.password.normalize('NFKC')
  expect((await login({ email, password: inNfkc })).statusCode).toBe(401)
  expect((await login({ email, password: unnormalized.password })).statusCode).toBe(200)
  expect((await login({ email, password: inNfkc })).statusCode).toBe(200)
})

it('Firebase’s own example logs in', async ({ imported }) => {
  const { login } = await imported({ email, passwordHash: firebaseExample.hash })
  expect((await login({ email, password: firebaseExample.password })).statusCode).toBe(200)
})

it('a user without a password hash is there, and no password logs in', async ({ imported, exported }) => {
  const { id, login, createUser, result } = await imported({ email })
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
  expect((await login({ email, password })).statusCode).toBe(401)
  expect((await createUser({ email, password })).json().code).toBe('email_taken')
  expect(JSON.parse((await exported(id))[0] ?? '')).not.toHaveProperty('passwordHash')
})

describe('a line', () => {
  it('gives all of a user', async ({ store, imported }) => {
    const { id, login, me } = await imported({
      id: uuid('A'),
      email: ' Ada@Example.com ',
      passwordHash: bcryptHash,
      preferredName: ' Ada ',
      tenants: [{ id: uuid('b'), name: 'Engines' }, { name: 'Looms' }],
      createdAt: '2024-05-01T12:34:56.789123+02:00',
    })
    const answer = (await login({ email, password: vectorPassword })).json()
    expect(answer).toMatchObject({ id: uuid('a'), tenants: [uuid('b'), expect.any(String)] })
    expect((await me(answer.token.jwt)).json()).toEqual({
      id: uuid('a'),
      email: 'Ada@Example.com',
      preferredName: 'Ada',
      tenants: answer.tenants,
      createdAt: '2024-05-01T10:34:56.789Z',
    })
    const tenants = await store.prisma.tenant.findMany({ where: { databaseId: id } })
    expect(tenants.map(({ name }) => name).sort()).toEqual(['Engines', 'Looms'])
  })

  it('takes null for absent', async ({ imported }) => {
    const nulls = [
      'id',
      'passwordHash',
      'preferredName',
      'tenants',
      'disabledAt',
      'tokensValidAfter',
      'createdAt',
    ]
    const { result } = await imported({
      email,
      ...Object.fromEntries(nulls.map((field) => [field, null])),
    })
    expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
  })

  it('keeps a disabled user out', async ({ imported }) => {
    const { login } = await imported({
      email,
      passwordHash: bcryptHash,
      disabledAt: '2024-05-01T00:00:00Z',
    })
    expect((await login({ email, password: vectorPassword })).statusCode).toBe(401)
  })

  it('shares a tenant with others that give its id, in the same batch and later', async ({
    usher,
    store,
    imported,
  }) => {
    const tenants = [{ id: uuid('c'), name: 'Shared' }]
    const { id } = await imported({ email, tenants }, { email: 'b@example.com', tenants })
    const renamed = [{ id: uuid('C'), name: 'Other name' }]
    await importAll(usher.context, id, linesOf({ email: 'c@example.com', tenants: renamed }))
    const [tenant, ...others] = await store.prisma.tenant.findMany({
      where: { databaseId: id },
      include: { memberships: true },
    })
    expect(others).toEqual([])
    expect(tenant).toMatchObject({ id: uuid('c'), name: 'Shared' })
    expect(tenant?.memberships).toHaveLength(3)
  })

  it.for([
    ['no JSON, and shows none of it', `{"email":"${email}","passwordHash":"${bcryptHash}`, 'is not JSON'],
    ['no object', [1], expect.stringContaining('expected object')],
    ['no address', {}, expect.stringMatching(/^email: /)],
    ['no address in it', { email: 'ada' }, 'email: must be an email address'],
    ['a field it does not know', { email, password_hash: 'x' }, expect.stringContaining('"password_hash"')],
    ['a blank name', { email, preferredName: ' ' }, expect.stringMatching(/^preferredName: /)],
    ['NUL in a name', { email, preferredName: 'a\0' }, 'preferredName: must be Unicode text without NUL'],
    [
      'half a surrogate pair',
      `{"email":"${email}","preferredName":"\\ud800"}`,
      'preferredName: must be Unicode text without NUL',
    ],
    ['an id that is no UUID', { email, id: 'auth0|1' }, expect.stringMatching(/^id: /)],
    ['the nil UUID', { email, id: '00000000-0000-0000-0000-000000000000' }, 'id: must not be the nil UUID'],
    [
      'a tenant without a name',
      { email, tenants: [{ id: uuid('b') }] },
      expect.stringMatching(/^tenants\.0\.name: /),
    ],
    [
      'a day that is none',
      { email, createdAt: '2023-02-30T00:00:00Z' },
      expect.stringMatching(/^createdAt: /),
    ],
    [
      'a time without a zone',
      { email, createdAt: '2023-02-01T00:00:00' },
      expect.stringMatching(/^createdAt: /),
    ],
    [
      'a time that Postgres lacks',
      { email, createdAt: '0000-01-01T00:00:00Z' },
      'createdAt: must be a time from 1970 to 9999',
    ],
    ['a hash of no format', { email, passwordHash: 'hunter2' }, 'passwordHash: has an unknown format'],
    ['an empty hash', { email, passwordHash: '' }, 'passwordHash: has an unknown format'],
    [
      'bcrypt of a high cost',
      { email, passwordHash: bcryptHash.replace('04', '15') },
      'passwordHash: takes 1.6 s to verify. The maximum is 1.0 s and 256 MiB',
    ],
    [
      'bcrypt of the highest cost',
      { email, passwordHash: bcryptHash.replace('04', '31') },
      expect.stringContaining('takes 107374.2 s'),
    ],
    [
      'argon2 of much memory',
      { email, passwordHash: `$argon2id$v=19$m=999999999,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` },
      expect.stringContaining('976563 MiB to verify'),
    ],
    [
      'argon2 of many passes',
      { email, passwordHash: `$argon2id$v=19$m=8,t=999999999,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'scrypt of much memory',
      { email, passwordHash: `$scrypt$ln=19,r=8,p=1$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('513 MiB to verify'),
    ],
    [
      'scrypt of much time',
      { email, passwordHash: `$scrypt$ln=10,r=8,p=99999$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'Firebase scrypt of much memory',
      { email, passwordHash: firebaseExample.hash.replace('n=14', 'n=30') },
      expect.stringContaining('1048577 MiB to verify'),
    ],
    [
      'PBKDF2 of many iterations',
      { email, passwordHash: `$pbkdf2-sha256$i=999999999$AAAA$${'A'.repeat(43)}` },
      expect.stringContaining('to verify'),
    ],
    [
      'PBKDF2 of many blocks',
      { email, passwordHash: `pbkdf2_sha1$4000000$salt$${'A'.repeat(86)}` },
      expect.stringContaining('takes 3.2 s to verify'),
    ],
  ] as const)('is rejected with %s; its neighbours go in', async ([, line, reason], { imported }) => {
    const neighbours = [{ email: 'a@example.com' }, { email: 'b@example.com' }] as const
    const { result } = await imported(neighbours[0], line, neighbours[1])
    expect(result).toEqual({ added: 2, alreadyThere: 0, rejected: [expect.any(String)] })
    expect(result.rejected[0]).toMatch(/^2 /)
    expect(result.rejected[0]?.slice(2)).toEqual(reason)
    expect(result.rejected[0]).not.toContain('W9aN1Tz27FRKl8')
  })

  it('tells all its faults at once', async ({ imported }) => {
    const { result } = await imported({ email: 'ada', id: 'x', preferredName: '' })
    expect(result.rejected[0]).toMatch(/^1 id: .*; email: .*; preferredName: /)
  })
})

describe('hashes of many kinds', () => {
  const ofKind = (iterations: number) => `$pbkdf2-sha256$i=${iterations}$AAAA$${'A'.repeat(42)}E`

  it('are taken up to what a failed login may try in all, in this import and later ones', async ({
    usher,
    imported,
    databaseRow,
  }) => {
    const lines = [1, 2, 3, 4, 5].map((kind) => ({
      email: `user${kind}@example.com`,
      passwordHash: ofKind(2_400_000 + kind),
    }))
    const { id, result } = await imported(...lines)
    const refused = (number: number) =>
      `${number} passwordHash: has one set of hash parameters too many. A failed login verifies one hash of each, in 2.0 s at most`
    expect(result).toEqual({ added: 4, alreadyThere: 0, rejected: [refused(5)] })
    const later = [
      { email: 'same-kind@example.com', passwordHash: ofKind(2_400_001) },
      { email: 'other-kind@example.com', passwordHash: ofKind(2_400_006) },
    ]
    expect(await importAll(usher.context, id, linesOf(...later))).toEqual({
      added: 1,
      alreadyThere: 0,
      rejected: [refused(2)],
    })
    expect((await databaseRow(id)).dummyHashes).toHaveLength(4)
  })
})

describe('an address', () => {
  it('that is there already leaves its user as it is', async ({ usher, store }) => {
    const { id, signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    const line = { email: 'ADA@example.com', passwordHash: bcryptHash, tenants: [{ name: 'Not made' }] }
    expect(await importAll(usher.context, id, linesOf(line))).toEqual({
      added: 0,
      alreadyThere: 1,
      rejected: [],
    })
    expect((await login({ email, password })).statusCode).toBe(200)
    expect(await store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  })

  it('that came earlier in the file is rejected, in the same batch and in later ones, and when run again', async ({
    usher,
    imported,
  }) => {
    const others = Array.from({ length: 1200 }, (_, index) => ({ email: `user${index}@example.com` }))
    const lines = [{ email }, { email: 'ADA@EXAMPLE.com' }, ...others, { email }]
    const rejected = ['2 email: is that of an earlier line', '1203 email: is that of an earlier line']
    const { id, result } = await imported(...lines)
    expect(result).toEqual({ added: 1201, alreadyThere: 0, rejected })
    expect(await importAll(usher.context, id, linesOf(...lines))).toEqual({
      added: 0,
      alreadyThere: 1201,
      rejected,
    })
  })

  it('that came earlier on a faulty line is taken', async ({ imported }) => {
    const { result } = await imported({ email, id: 'x' }, { email })
    expect(result).toMatchObject({ added: 1, rejected: [expect.stringMatching(/^1 id: /)] })
  })
})

it('an id that another user has is rejected, within the file and in the store', async ({
  usher,
  imported,
}) => {
  const { id, result } = await imported({ id: uuid('d'), email }, { id: uuid('D'), email: 'b@example.com' })
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: ['2 id: is another user’s'] })
  expect(await importAll(usher.context, id, linesOf({ id: uuid('d'), email: 'c@example.com' }))).toEqual({
    added: 0,
    alreadyThere: 0,
    rejected: ['1 id: is another user’s'],
  })
})

it('blank lines are passed over', async ({ imported }) => {
  const { result } = await imported('', { email }, ' \r')
  expect(result).toEqual({ added: 1, alreadyThere: 0, rejected: [] })
})

it('a batch that fails leaves nothing; the same file again brings all', async ({ usher, store }) => {
  const { id } = await usher.newDatabase()
  const lines = linesOf({ email, tenants: [{ name: 'Engines' }] }, { email: 'b@example.com' })
  await store.prisma.$executeRaw`
    ALTER TABLE usher.membership ADD CONSTRAINT refuse_all CHECK (joined_at < '1970-01-01') NOT VALID`
  await expect(importAll(usher.context, id, lines)).rejects.toThrow('refuse_all')
  await store.prisma.$executeRaw`ALTER TABLE usher.membership DROP CONSTRAINT refuse_all`
  expect(await store.prisma.user.count({ where: { databaseId: id } })).toBe(0)
  expect(await store.prisma.tenant.count({ where: { databaseId: id } })).toBe(0)
  expect(await importAll(usher.context, id, lines)).toEqual({ added: 2, alreadyThere: 0, rejected: [] })
})

it('two imports of one file at once bring each user once', async ({ usher, store }) => {
  const { id } = await usher.newDatabase()
  const users = Array.from({ length: 1000 }, (_, index) => ({
    email: `user${index}@example.com`,
    tenants: [{ name: 'Own' }],
  }))
  const results = await Promise.all([1, 2].map(() => importAll(usher.context, id, linesOf(...users))))
  expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(1000)
  expect(results.flatMap(({ rejected }) => rejected)).toEqual([])
  expect(await store.prisma.membership.count({ where: { databaseId: id } })).toBe(1000)
})

describe('an export', () => {
  it('imported into another database is the same export again', async ({ imported, exported }) => {
    const shared = { id: uuid('e'), name: 'Shared “名”' }
    const from = await imported(
      {
        email: 'Åsa@Bücher.example',
        preferredName: '"\\ 🙂',
        tenants: [{ name: 'Z' }, shared, { name: 'A' }],
      },
      { email: 'disabled@example.com', disabledAt: '2024-01-02T03:04:05.678Z', tenants: [shared] },
      { email: 'revoked@example.com', tokensValidAfter: '2025-01-01T00:00:00Z', passwordHash: bcryptHash },
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

  it('of a database without users is empty', async ({ usher, exported }) => {
    expect(await exported((await usher.newDatabase()).id)).toEqual([])
  })
})
