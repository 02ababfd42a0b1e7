import { UserLine } from '@usher/contract/management'
import { expect } from 'vitest'
import { exportUsers } from '../../server/domain/management/users/export-users.js'
import { password } from '../support/app.js'
import { outcome } from '../support/codes.js'
import { importAll, linesOf } from '../support/lines.js'
import { createApiKey } from '../support/operator-changes.js'
import { it as providerTest } from '../support/returned-login.js'
import { claimsOf, totpAt } from '../support/second-factor.js'

const email = 'ada@example.com'
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const verifiedAt = '2024-01-01T00:00:00.000Z'

const it = providerTest
  .extend(
    'imported',
    ({ usher, app }) =>
      (...lines: unknown[]) =>
        importAll(usher, app.id, linesOf(...lines)),
  )
  .extend('exported', ({ store, usher }) => async (databaseId: string, withTotp = false) => {
    const lines: UserLine[] = []
    const now = new Date(usher.clock.now)
    for await (const line of exportUsers(store, databaseId, { withTotp, now })) lines.push(line)
    return lines
  })
  .extend('secondStep', ({ usher, app }) => async (credentials: object, totp: string) => {
    const { secondFactor } = (await app.login(credentials)).json()
    const payload = { challenge: secondFactor.challenge, totp }
    return usher.send({ method: 'POST', url: `${app.users}/login/second-factor`, payload })
  })

it('logs in an imported user by the identity of the line, also without a password', async ({
  provider,
  imported,
}) => {
  const identities = [
    { connection: 'acme', subject: 'ada' },
    { connection: 'other', subject: 'ada', issuer: 'https://elsewhere.example', email, linkedAt: verifiedAt },
  ]
  expect(await imported({ email, identities, emailVerifiedAt: verifiedAt })).toMatchObject({ added: 1 })
  const login = await provider.logIn({ subject: 'ada', email: 'another@example.com' })
  expect(login.json()).toMatchObject({ isNewUser: false })
  expect(await provider.identities(login.json().id)).toMatchObject([
    { issuer: 'https://acme.example', isProven: true },
    { issuer: 'https://elsewhere.example', isProven: true, email, linkedAt: new Date(verifiedAt) },
  ])
})

it('rejects a line whose identity is unknown, given twice, or of another user', async ({
  provider,
  imported,
}) => {
  await provider.logIn({ subject: 'taken' })
  const line = (name: string, ...identities: object[]) => ({ email: `${name}@example.com`, identities })
  const given = [
    line('unknown', { connection: 'none', subject: 'a' }),
    line('twice', { connection: 'acme', subject: 'a' }, { connection: 'acme', subject: 'b' }),
    line('taken', { connection: 'other', subject: 'c' }, { connection: 'acme', subject: 'taken' }),
    line('first', { connection: 'acme', subject: 'd' }),
    line('second', { connection: 'acme', subject: 'd' }),
    line('misspelt', { connection: 'acme', sub: 'e' }),
    line('invalid', { connection: 'acme', subject: 'e f', isProven: 1 }),
  ]
  const expected = {
    added: 1,
    alreadyThere: 0,
    rejected: [
      '1 identities.0.connection: is not a connection of the database',
      '2 identities.1.connection: must not be the connection of an earlier identity',
      '3 identities.1.subject: belongs to another user',
      '5 identities.0.subject: belongs to another user',
      '6 identities.0.subject: is required; identities.0: has unknown fields: sub',
      '7 identities.0.subject: must be 1 to 511 ASCII characters, no spaces; identities.0.isProven: must be true or false',
    ],
  }
  expect(await imported(...given)).toEqual(expected)
})

it('rejects an identity that a user has linked during the import, and imports the other lines', async ({
  app,
  usher,
  provider,
  store,
}) => {
  const lines = linesOf(
    { email: 'one@example.com', identities: [{ connection: 'acme', subject: 'raced' }] },
    { email: 'other@example.com' },
  )
  // The first transaction reads before the identity is linked, and writes after that.
  const { transaction } = store
  let isFirst = true
  const raced: typeof transaction = (id, work) =>
    transaction(id, async (query) => {
      const linksFirst = isFirst
      isFirst = false
      return work(async (text, values) => {
        if (linksFirst && text.includes('INSERT INTO usher.identity'))
          await provider.logIn({ subject: 'raced' })
        return query(text, values)
      })
    })
  const result = await importAll({ ...usher, store: { ...store, transaction: raced } }, app.id, lines)
  expect(result).toEqual({
    added: 1,
    alreadyThere: 0,
    rejected: ['1 identities.0.subject: belongs to another user'],
  })
})

it('keeps which identities were linked before the address was verified, so that a reset removes them', async ({
  app,
  provider,
  imported,
  exported,
}) => {
  const of = (connection: string, isProven?: boolean) => ({ connection, subject: 'ada', isProven })
  await imported({ email, identities: [of('acme'), of('other', false)], emailVerifiedAt: verifiedAt })
  const [line] = await exported(app.id)
  expect(line?.identities?.map(({ isProven }) => isProven)).toEqual([undefined, false])
  expect((await app.reset(await app.resetCode(email))).statusCode).toBe(200)
  expect(await provider.identities(line?.id ?? '')).toMatchObject([{ connection: 'acme' }])
})

it('asks an imported user for a code of the app of the line', async ({
  app,
  usher,
  imported,
  secondStep,
}) => {
  const credentials = { email, password }
  const { passwordHash } = await usher.store.prisma.user.findUniqueOrThrow({
    where: {
      databaseId_id: { databaseId: app.id, id: (await app.signedUp({ email: 'old@example.com' })).id },
    },
  })
  const totp = [{ secret: `${secret.toLowerCase()}====`, name: 'Phone' }]
  expect(await imported({ email, passwordHash, totp })).toMatchObject({ added: 1 })
  expect(outcome(await secondStep(credentials, '000000'))).toEqual([401, 'second_factor_invalid'])
  const done = await secondStep(credentials, totpAt(secret, usher.clock.now))
  expect(claimsOf(done.json().token.jwt)).toMatchObject({ acr: 'aal2' })
  const list = (await app.as(done.json().token.jwt, 'GET', 'me/factors')).json()
  expect(list).toMatchObject({ factors: [{ name: 'Phone' }], recoveryCodes: 0, secondFactor: { on: true } })
})

it('rejects a line with an invalid secret', async ({ imported }) => {
  const line = (...totp: object[]) => ({ email, totp })
  const { rejected } = await imported(
    line({ secret: 'short' }),
    line({ secret: '0189'.repeat(8) }),
    line({ secret, digits: 8 }),
    line({ secret }, { secret: `${secret.toLowerCase()}====` }),
    line({ secret }, { secret: `${secret}A` }, { secret: `${secret}B` }),
  )
  const notBase32 = 'must be 16 to 128 characters of base32'
  expect(rejected).toEqual([
    `1 totp.0.secret: ${notBase32}`,
    `2 totp.0.secret: ${notBase32}`,
    '3 totp.0: has unknown fields: digits',
    '4 totp.1.secret: must not be the secret of an earlier app',
    '5 totp: must have at most 2 apps',
  ])
})

it('stores nothing of identities and apps in a dry run', async ({ app, usher, store, provider }) => {
  expect(provider).toBeDefined()
  const line = { email, identities: [{ connection: 'acme', subject: 'ada' }], totp: [{ secret }] }
  const result = await importAll(usher, app.id, linesOf(line, { ...line, email: 'b@example.com' }), {
    dryRun: true,
  })
  expect(result).toMatchObject({ added: 1, rejected: ['2 identities.0.subject: belongs to another user'] })
  const where = { databaseId: app.id }
  const counts = [store.prisma.identity.count({ where }), store.prisma.dataKey.count({ where })]
  expect(await Promise.all(counts)).toEqual([0, 0])
})

it('exports identities, and secrets of apps only if asked for', async ({
  app,
  usher,
  imported,
  exported,
  provider,
  secondStep,
}) => {
  const identities = [
    { connection: 'acme', issuer: 'https://acme.example', subject: 'ada', linkedAt: verifiedAt },
  ]
  await imported({ email, identities, totp: [{ secret }], createdAt: verifiedAt })
  const [line] = await exported(app.id)
  expect(line).toMatchObject({ identities: [{ ...identities[0], linkedAt: new Date(verifiedAt) }] })
  expect(line).not.toHaveProperty('totp')
  const [withSecrets] = await exported(app.id, true)
  expect(withSecrets?.totp).toEqual([{ secret, createdAt: new Date(verifiedAt) }])

  // A user who has added an app, in a database to which all is moved.
  const signedUp = await app.verifiedUser({ email: 'grace@example.com' })
  const enrolled = (await app.as(signedUp.token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const body = { challenge: enrolled.challenge, totp: totpAt(enrolled.secret, usher.clock.now) }
  await app.as(signedUp.token.jwt, 'POST', 'me/factors/totp/confirm', body)
  const moved = (await exported(app.id, true)).map((each) => UserLine.parse(JSON.parse(JSON.stringify(each))))
  const next = await usher.newDatabase()
  await usher.store.prisma.connection.create({
    data: {
      databaseId: next.id,
      name: 'acme',
      preset: 'oidc',
      issuer: 'https://acme.example',
      clientId: 'a',
      createdAt: new Date(),
    },
  })
  expect(await importAll(usher, next.id, linesOf(...moved))).toMatchObject({ added: 2 })
  expect(await exported(next.id, true)).toEqual(await exported(app.id, true))
  expect(provider).toBeDefined()
  usher.clock.now += 30_000
  const credentials = { email: 'grace@example.com', password }
  expect((await secondStep(credentials, totpAt(enrolled.secret, usher.clock.now))).statusCode).toBe(200)
})

it('needs the scope credentials:write for identities and apps', async ({ app, usher, store }) => {
  const operation = { store, now: new Date(usher.clock.now) }
  const key = { name: 'backend', scopes: ['users:write' as const], expiresInSeconds: 3600 }
  const { key: authorization } = await createApiKey(operation, app, key)
  const send = (line: object) =>
    usher.send({
      method: 'POST',
      url: `${app.users.replace(/users$/, 'management')}/users/import`,
      headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/x-ndjson' },
      payload: `${JSON.stringify({ email, ...line })}\n`,
    })
  expect((await send({ identities: [{ connection: 'acme', subject: 'a' }] })).json().code).toBe(
    'insufficient_scope',
  )
  expect((await send({ totp: [{ secret }] })).json().code).toBe('insufficient_scope')
  expect((await send({})).statusCode).toBe(200)
})
