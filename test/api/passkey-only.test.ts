import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { changeUser } from '../../server/domain/email-change/change-user.js'
import { password, type TestApi, type TestDatabase } from '../support/app.js'
import { createAuthenticator, type Model } from '../support/authenticator.js'
import { newPassword, outcome } from '../support/codes.js'
import { runAsOperator, setDatabase } from '../support/operator-changes.js'
import { it as passkeysTest } from '../support/passkeys.js'

const it = passkeysTest.extend(
  'passwordless',
  ({ passkeys, app, usher }) =>
    /** Returns a user who has a passkey and no password, and what removes the passkey. */
    async (model?: Model) => {
      const owner = await passkeys.owner(model)
      const { id } = owner.signedUp
      // A mail to a verified address would be a way in.
      const data = { passwordHash: null, emailVerifiedAt: null }
      await usher.store.prisma.user.updateMany({ where: { id }, data })
      const remove = (confirmation: string = owner.confirmation.value) =>
        app.as(owner.token.jwt, 'POST', `me/factors/${owner.factor.id}/removal`, { confirmation })
      return { ...owner, id, remove }
    },
)

/** Lets users add a passkey before they verify the address. */
async function withoutReset(usher: TestApi, app: TestDatabase) {
  await setDatabase(usher.store, app, { accountOperations: false })
  usher.clock.cacheAhead += 6_000
}

it('logs a user in who has no password, and keeps the last passkey', async ({ passwordless, passkeys }) => {
  const { authenticator, remove } = await passwordless()
  expect(outcome(await remove())).toEqual([409, 'last_login_method'])
  const login = await passkeys.login(authenticator)
  expect(login.statusCode, login.body).toBe(200)
})

it('removes a passkey of a user who has another one, and then keeps that', async ({
  passwordless,
  passkeys,
  app,
  usher,
}) => {
  const { token, confirmation, remove } = await passwordless()
  await withoutReset(usher, app)
  const body = { confirmation: confirmation.value, password: undefined }
  const second = await passkeys.add(token.jwt, createAuthenticator(), { body })
  expect(second.statusCode, second.body).toBe(201)
  const removed = await remove()
  expect(removed.statusCode, removed.body).toBe(200)
  const { jwt } = removed.json().token
  const last = await app.as(jwt, 'POST', `me/factors/${second.json().factor.id}/removal`, {
    confirmation: removed.json().confirmation.value,
  })
  expect(outcome(last)).toEqual([409, 'last_login_method'])
})

it('counts neither a key that has not verified its user as a way in, nor a passkey of a former domain', async ({
  passwordless,
  passkeys,
  app,
  usher,
}) => {
  const { token, confirmation, remove } = await passwordless()
  await withoutReset(usher, app)
  const body = { confirmation: confirmation.value, password: undefined }
  const key = createAuthenticator({ verifiesUser: false })
  expect((await passkeys.add(token.jwt, key, { body })).statusCode).toBe(201)
  expect(outcome(await remove())).toEqual([409, 'last_login_method'])
  await setDatabase(usher.store, app, {
    passkeyDomain: 'example.com',
    passkeyOrigins: ['https://example.com'],
    force: true,
  })
  usher.clock.cacheAhead += 6_000
  const atNewDomain = createAuthenticator({ origin: 'https://example.com' })
  const { options } = (await app.as(token.jwt, 'POST', 'me/factors/passkey', body)).json()
  expect([options.rp.id, options.excludeCredentials]).toEqual(['example.com', []])
  const passkey = atNewDomain.create(options)
  const added = await app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey })
  expect(added.statusCode, added.body).toBe(201)
  expect((await remove()).statusCode).toBe(200)
})

it('removes an identity of a user who has a passkey', async ({ passwordless, app, usher, clock }) => {
  const { id: userId, token, confirmation } = await passwordless()
  const id = randomUUID()
  const identity = { connection: 'acme', issuer: 'https://acme.example', subject: '1', email: null }
  await usher.store.prisma.identity.create({
    data: { databaseId: app.id, id, userId, ...identity, isProven: false, linkedAt: new Date(clock.now) },
  })
  const body = { confirmation: confirmation.value }
  const removed = await app.as(token.jwt, 'POST', `me/identities/${id}/removal`, body)
  expect(removed.statusCode, removed.body).toBe(200)
})

it('keeps passkeys when the owner of a verified address sets a password with a code', async ({
  passwordless,
  passkeys,
  app,
}) => {
  const { authenticator, credentials } = await passwordless()
  await app.markVerified(credentials.email)
  const code = await app.resetCode(credentials.email)
  expect((await passkeys.post('password-reset/confirm', { code, newPassword })).statusCode).toBe(200)
  expect((await passkeys.login(authenticator)).statusCode).toBe(200)
})

it('leaves no passkey of a stranger on an account that its owner takes over', async ({
  passkeys,
  app,
  usher,
}) => {
  const { authenticator, credentials, id } = await passkeys.owner()
  await runAsOperator(usher, app, (change) =>
    changeUser(change, { userId: id, changes: { isVerified: false } }),
  )
  const code = await app.resetCode(credentials.email)
  expect((await passkeys.post('password-reset/confirm', { code, newPassword })).statusCode).toBe(200)
  expect(outcome(await passkeys.login(authenticator))).toEqual([401, 'passkey_unknown'])
  expect((await app.login({ ...credentials, password: newPassword })).statusCode).toBe(200)
  expect(outcome(await app.login({ ...credentials, password }))).toEqual([401, 'invalid_credentials'])
})
