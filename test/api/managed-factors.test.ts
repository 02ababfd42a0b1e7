import { expect } from 'vitest'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { it as managementTest } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'
import { keptEvents } from '../support/tenants.js'

const email = 'ada@example.com'

/** `it` with a user who has an authenticator app and a session. */
const it = managementTest.extend('ada', async ({ usher, store, manage }) => {
  const { database, newKey } = manage
  await setDatabase(store, database, { appUrl: 'https://app.example.com', eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  const { id, token } = await database.verifiedUser({ email })
  /** Adds an authenticator app. */
  async function enrol(jwt: string) {
    const { challenge, secret } = (await database.as(jwt, 'POST', 'me/factors/totp', { password })).json()
    const body = { challenge, totp: totpAt(secret, usher.clock.now), name: 'Phone' }
    const added = (await database.as(jwt, 'POST', 'me/factors/totp/confirm', body)).json()
    return { ...added, secret: String(secret) }
  }
  const { factor, token: renewed, secret } = await enrol(token.jwt)
  const session = (await database.openSession(renewed.jwt)).json()
  const { key, id: apiKey } = await newKey()
  const send = (method: 'GET' | 'POST' | 'DELETE', below: string, body?: object) =>
    manage.send(key, method, `users/${id}${below}`, body)
  return { id, factor, secret, token: renewed, session, key, apiKey, send, enrol }
})

it('listUserFactors returns the factors and the number of recovery codes, and no secret', async ({ ada }) => {
  const { body, ...response } = await ada.send('GET', '/factors')
  expect(response.json()).toEqual({
    factors: [
      { id: ada.factor.id, kind: 'totp', name: 'Phone', createdAt: ada.factor.createdAt, lastUsedOn: null },
    ],
    recoveryCodes: 8,
  })
  expect(body).not.toContain(ada.secret)
})

it('removeUserFactors ends the sessions, revokes the tokens, and lets the password log in again', async ({
  manage,
  ada,
}) => {
  const { database } = manage
  expect((await database.login({ email, password })).json().code).toBe('second_factor_required')
  expect((await ada.send('DELETE', '/factors')).statusCode).toBe(204)
  expect((await database.me(ada.token.jwt)).statusCode).toBe(401)
  expect((await database.refresh(ada.session.refreshToken.value)).statusCode).toBe(401)
  expect((await ada.send('GET', '/factors')).json()).toEqual({ factors: [], recoveryCodes: 0 })
  expect((await database.login({ email, password })).statusCode).toBe(200)
})

it('removeUserFactors writes an event and an audit record, and none of a user without factors', async ({
  usher,
  manage,
  ada,
}) => {
  for (let times = 0; times < 2; times += 1)
    expect((await ada.send('DELETE', '/factors')).statusCode).toBe(204)
  const removed = { type: 'user.factor_removed', userId: ada.id, apiKey: ada.apiKey }
  const events = await keptEvents(usher, manage.database.id)
  expect(events.filter(({ type }) => type === removed.type)).toEqual([removed])
  const audited = auditRecords(usher).filter(
    ({ audit, userId }) => audit === removed.type && userId === ada.id,
  )
  expect(audited).toMatchObject([{ apiKey: ada.apiKey }])
})

it('a user whose factors were removed after too many wrong codes adds one again, and logs in with it', async ({
  usher,
  store,
  manage,
  ada,
}) => {
  const { database } = manage
  const secondStep = async (totp: string) => {
    const { secondFactor } = (await database.login({ email, password })).json()
    const payload = { challenge: secondFactor.challenge, totp }
    return usher.send({ method: 'POST', url: `${database.users}/login/second-factor`, payload })
  }
  const fullAt = new Date(usher.clock.now)
  for (const isKnown of [true, false])
    await store.prisma.factorGuess.create({
      data: { databaseId: database.id, userId: ada.id, isKnown, fullAt, failures: 100 },
    })
  expect((await secondStep('000000')).json().code).toBe('too_many_attempts')
  await ada.send('DELETE', '/factors')
  const { secret } = await ada.enrol((await database.login({ email, password })).json().token.jwt)
  usher.clock.now += 30_000
  expect((await secondStep(totpAt(secret, usher.clock.now))).statusCode).toBe(200)
})

it('removeUserFactors needs the scope credentials:write', async ({ manage, ada }) => {
  const { key } = await manage.newKey(['users:read', 'users:write'])
  const refused = await manage.send(key, 'DELETE', `users/${ada.id}/factors`)
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'insufficient_scope'])
  expect((await manage.send(key, 'GET', `users/${ada.id}/factors`)).json()).toMatchObject({
    recoveryCodes: 8,
  })
})

it('listUsers returns only the users who have a second factor, or only the others', async ({
  manage,
  ada,
}) => {
  const { id } = await manage.database.signedUp({ email: 'grace@example.com' })
  const idsOf = async (query: string) =>
    (await manage.send(ada.key, 'GET', `users?${query}`)).json().users.map((user: { id: string }) => user.id)
  expect(await idsOf('secondFactor=true')).toEqual([ada.id])
  expect(await idsOf('secondFactor=false')).toEqual([id])
  await ada.send('DELETE', '/factors')
  expect(await idsOf('secondFactor=true')).toEqual([])
})
