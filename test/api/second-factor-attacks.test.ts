import { expect, vi } from 'vitest'
import { password, type TestApi, validUser } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { newPassword, outcome } from '../support/codes.js'
import { disableUser, enableUser, setDatabase } from '../support/operator-changes.js'
import { claimsOf, it, totpAt } from '../support/second-factor.js'

const stepMilliseconds = 30_000
const invalid = [400, 'challenge_invalid']
const wrong = [401, 'second_factor_invalid']

it('accepts the code of a clock that is one step off, and not of one that is two steps off', async ({
  factor,
  clock,
}) => {
  const { challenge } = await factor.firstStep()
  clock.now += 3 * stepMilliseconds
  const codeOf = (steps: number) => totpAt(factor.secret, clock.now + steps * stepMilliseconds)
  const attempt = async (steps: number) =>
    outcome(await factor.post('login/second-factor', { challenge, totp: codeOf(steps) }))[0]
  expect([await attempt(-2), await attempt(2)]).toEqual([401, 401])
  expect([await attempt(-1), await attempt(1)]).toEqual([200, 200])
  // Once the code of a later step was accepted, earlier ones are refused.
  expect([await attempt(0), await attempt(-1)]).toEqual([401, 401])
})

it('rejects a challenge of another database, and the code of another user', async ({
  factor,
  app,
  usher,
  clock,
}) => {
  const { challenge } = await factor.firstStep()
  const elsewhere = await usher.newDatabase()
  const payload = { challenge, totp: totpAt(factor.secret, clock.now + stepMilliseconds) }
  const url = `${elsewhere.users}/login/second-factor`
  expect(outcome(await usher.send({ method: 'POST', url, payload }))).toEqual(invalid)
  const other = await factor.enrol((await app.verifiedUser()).token.jwt, { password })
  clock.now += stepMilliseconds
  const swapped = { challenge, totp: totpAt(other.secret, clock.now) }
  expect(outcome(await factor.post('login/second-factor', swapped))).toEqual(wrong)
  const [recoveryCode] = other.recoveryCodes as string[]
  expect(outcome(await factor.post('login/second-factor', { challenge, recoveryCode }))).toEqual(wrong)
})

it('rejects the challenge of an enrolment or a login in the place of the other', async ({ factor, app }) => {
  const { challenge } = await factor.firstStep()
  const totp = factor.nextCode()
  const enrolled = await factor.post('me/factors/totp', { challenge })
  expect(outcome(enrolled)).toEqual(invalid)
  expect(outcome(await factor.post('me/factors/totp/confirm', { challenge, totp }))).toEqual(invalid)
  const { token } = await app.verifiedUser()
  const enrolment = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const crossed = await factor.post('login/second-factor', { challenge: enrolment.challenge, totp })
  expect(outcome(crossed)).toEqual(invalid)
})

it('adds the app of an enrolment once, also if it was removed since', async ({ factor, app, clock }) => {
  const { token } = await app.verifiedUser()
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const body = { challenge, totp: totpAt(secret, clock.now) }
  const confirm = (jwt: string) => app.as(jwt, 'POST', 'me/factors/totp/confirm', body)
  const both = await Promise.all([confirm(token.jwt), confirm(token.jwt), confirm(token.jwt)])
  const added = both.filter(({ statusCode }) => statusCode === 201).map((response) => response.json())
  expect(added).toHaveLength(1)
  const [{ factor: row, token: renewed, confirmation }] = added
  expect(outcome(await confirm(renewed.jwt))).toEqual(invalid)
  const removed = await app.as(renewed.jwt, 'POST', `me/factors/${row.id}/removal`, {
    confirmation: confirmation.value,
  })
  expect(outcome(await confirm(removed.json().token.jwt))).toEqual(invalid)
  expect(outcome(await factor.post('me/factors/totp/confirm', body))).toEqual([401, 'token_missing'])
})

it('ends an enrolment when another request adds the first factor', async ({ factor, app, usher, clock }) => {
  const given = validUser()
  await setDatabase(usher.store, app, { secondFactor: 'required', secondFactorGrace: 0 })
  usher.clock.cacheAhead += 6_000
  clock.now = Math.max(clock.now, Date.now()) + 1_000
  const { token } = await app.verifiedUser(given)
  const demanded = async () => (await app.login({ email: given.email, password })).json().secondFactor
  const begin = async (challenge: string) => (await factor.post('me/factors/totp', { challenge })).json()
  // A thief with the password, with a stolen token, and the owner.
  const [thief, owner] = [await demanded(), await demanded()]
  const byLogin = await begin(thief.challenge)
  const byToken = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const { options } = (await factor.post('me/factors/passkey', { challenge: owner.challenge })).json()
  const passkey = createAuthenticator().create(options)
  expect((await factor.post('me/factors/passkey/confirm', { passkey })).statusCode).toBe(201)
  for (const kind of ['totp', 'passkey'])
    expect(outcome(await factor.post(`me/factors/${kind}`, { challenge: thief.challenge }))).toEqual(invalid)
  const bodyOf = ({ challenge, secret }: typeof byLogin) => ({ challenge, totp: totpAt(secret, clock.now) })
  expect(outcome(await factor.post('me/factors/totp/confirm', bodyOf(byLogin)))).toEqual(invalid)
  const late = await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', bodyOf(byToken))
  expect(outcome(late)).toEqual(invalid)
})

it('gives no token of a user who was disabled or deleted between the steps', async ({
  factor,
  app,
  usher,
}) => {
  const attempt = async (challenge: string) =>
    outcome(await factor.post('login/second-factor', { challenge, totp: factor.nextCode() }))
  const operation = { store: usher.store, now: new Date(usher.clock.now) }
  const { challenge } = await factor.firstStep()
  await disableUser(operation, app, factor.id)
  expect(await attempt(challenge)).toEqual(invalid)
  await enableUser(operation, app, factor.id)
  expect(await attempt(challenge)).toEqual(invalid)
  const { token, confirmation } = await factor.loggedIn()
  const { challenge: last } = await factor.firstStep()
  const deletion = { password, confirmation: confirmation.value }
  expect((await app.as(token.jwt, 'POST', 'me/deletion', deletion)).statusCode).toBe(204)
  expect(await attempt(last)).toEqual(invalid)
})

it('gives the token of a challenge to whoever has the code, and one session of it', async ({
  factor,
  app,
}) => {
  // A thief with the password lets the user enter a code for the challenge of the thief.
  const { challenge } = await factor.firstStep()
  const totp = factor.nextCode()
  const victim = (await factor.post('login/second-factor', { challenge, totp })).json()
  expect(outcome(await factor.post('login/second-factor', { challenge, totp }))).toEqual(wrong)
  // The thief knows the id of the token, which is in the challenge. That identifies nobody.
  const { tokenId } = JSON.parse(Buffer.from(challenge.split('.')[0] ?? '', 'base64url').toString())
  expect(claimsOf(victim.token.jwt).jti).toBe(tokenId)
  const again = (await factor.post('login/second-factor', { challenge, totp: factor.nextCode() })).json()
  const sessions = await Promise.all(
    [victim, again].map(({ token }) => app.openSession(token.jwt).then(({ statusCode }) => statusCode)),
  )
  expect(sessions.sort()).toEqual([201, 409])
})

/** Runs requests to a database, and returns the statements that they have run with the number of their rows. */
async function statementsOf(
  { context: { store } }: TestApi,
  databaseId: string,
  run: () => Promise<unknown>,
) {
  const { query } = store
  const seen: [string, number][] = []
  const watched = vi.spyOn(store, 'query').mockImplementation(async (text, values) => {
    // The server also searches for the messages of all databases.
    if (text.includes('outbox') && !values.includes(databaseId)) return query(text, values)
    // In the order of the requests, because parallel ones end in any order.
    const statement: [string, number] = [text, 0]
    seen.push(statement)
    const rows = await query(text, values)
    statement[1] = rows.length
    return rows as never
  })
  await run()
  watched.mockRestore()
  return seen
}

it('does not show before the right password whether a user has a second factor', async ({
  factor,
  app,
  usher,
}) => {
  const plain = validUser()
  await app.signedUp(plain)
  // Both have logged in from the network.
  expect((await app.login(plain)).statusCode).toBe(200)
  const seen: unknown[] = []
  for (const email of [factor.credentials.email, plain.email]) {
    const shown: unknown[] = []
    const statements = await statementsOf(usher, app.id, async () => {
      const { statusCode, headers, body } = await app.login({ email, password: 'wrong password' })
      shown.push(statusCode, Object.keys(headers), { ...JSON.parse(body), requestId: '' })
    })
    expect(statements.length).toBeGreaterThan(0)
    seen.push([statements, shown])
  }
  expect(seen[0]).toEqual(seen[1])
})

it('accepts a used code again after the restore of a backup, but only while it is current', async ({
  factor,
  usher,
  app,
}) => {
  const where = { databaseId_id: { databaseId: app.id, id: factor.factor.id } }
  const { lastStep } = await usher.store.prisma.factor.findUniqueOrThrow({ where })
  const { challenge } = await factor.firstStep()
  const totp = factor.nextCode()
  const attempt = async () => (await factor.post('login/second-factor', { challenge, totp })).statusCode
  const restore = () => usher.store.prisma.factor.update({ where, data: { lastStep } })
  expect([await attempt(), await attempt()]).toEqual([200, 401])
  await restore()
  expect([await attempt(), await attempt()]).toEqual([200, 401])
  await restore()
  usher.clock.now += 2 * stepMilliseconds
  expect(await attempt()).toBe(401)
})

it('lets nobody with a stolen session change factors by guessing the password or a code', async ({
  factor,
  app,
}) => {
  const { token } = await factor.loggedIn()
  const stolen = (await app.openSession(token.jwt)).json().token.jwt
  const stepped = await app.as(stolen, 'POST', 'me/step-up', { password })
  expect(stepped.json().errors).toMatchObject([{ code: 'required' }])
  for (const _ of Array(10).keys())
    expect(outcome(await app.as(stolen, 'POST', 'me/step-up', { totp: '000000' }))).toEqual(wrong)
  const refused = await app.as(stolen, 'POST', 'me/step-up', { totp: factor.nextCode() })
  expect(outcome(refused)).toEqual([429, 'too_many_attempts'])
  const changed = await app.as(stolen, 'PUT', 'me/password', { password, newPassword })
  expect(outcome(changed)).toEqual([401, 'step_up_required'])
})
