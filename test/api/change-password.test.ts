import type { Session } from '@usher/contract'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { it } from '../support/api.js'
import { password, type TestDatabase } from '../support/app.js'

const newPassword = 'four random common words'
const change = (database: TestDatabase, { token }: { token: { jwt: string } }, body: object) =>
  database.as(token.jwt, 'PUT', 'me/password', body)

it('replaces the password, ends every session, and revokes earlier tokens', async ({ database, clock }) => {
  clock.now = Date.now()
  const email = 'ada@example.com'
  const logIn = async (password: string) => database.login({ email, password })
  const session: Session = await database.opened({ email, newTenant: 'Engines' })
  const ofLogin = (await logIn(password)).json()
  const other: Session = (await database.openSession(ofLogin.token.jwt)).json()
  const response = await change(database, session, { password, newPassword })
  const changed = response.json()
  expect([response.statusCode, changed]).toEqual([
    200,
    { id: session.id, tenants: session.tenants, token: { ...session.token, jwt: expect.any(String) } },
  ])
  for (const { token } of [session, ofLogin, other])
    expect((await database.me(token.jwt)).statusCode).toBe(401)
  for (const { refreshToken } of [session, other])
    expect((await database.refresh(refreshToken.value)).json().code).toBe('session_ended')
  expect((await logIn(password)).statusCode).toBe(401)
  expect((await logIn(newPassword)).statusCode).toBe(200)
  clock.now = Date.now() + 1000
  expect((await database.as(changed.token.jwt, 'GET', 'me/sessions')).json()).toEqual({ sessions: [] })
})

it('returns a token that belongs to no session and can open one', async ({ database, clock }) => {
  clock.now = Date.now()
  for (const user of [await database.signedUp(), await database.opened()]) {
    const changed = (await change(database, user, { password, newPassword })).json()
    expect(decodeJwt(changed.token.jwt)).not.toHaveProperty('sid')
    expect((await database.openSession(changed.token.jwt)).statusCode).toBe(201)
  }
})

// Requests that verify the old password after it was changed count as failed logins. Five of these need no wait.
it('accepts one of five concurrent requests', async ({ database }) => {
  const email = 'race@example.com'
  const user = await database.signedUp({ email })
  const chosen = Array.from({ length: 5 }, (_, index) => `${newPassword} ${index}`)
  const responses = await Promise.all(
    chosen.map((newPassword) => change(database, user, { password, newPassword })),
  )
  const accepted = chosen.filter((_, index) => responses[index]?.statusCode === 200)
  expect(accepted).toHaveLength(1)
  expect((await database.login({ email, password: accepted[0] })).statusCode).toBe(200)
})

it('returns all field errors at the same time', async ({ database }) => {
  const user = await database.signedUp({ email: 'grace@example.com' })
  const codes = async (body: object) =>
    (await change(database, user, body))
      .json()
      .errors.map((each: { path: string; code: string }) => [each.path, each.code])
  expect(await codes({ password: 7 })).toEqual([
    ['password', 'invalid_type'],
    ['newPassword', 'required'],
  ])
  expect(await codes({ newPassword: 'short', password: '' })).toEqual([
    ['password', 'blank'],
    ['newPassword', 'too_short'],
  ])
  expect(await codes({ newPassword: 'four random common words' })).toEqual([['password', 'required']])
  expect(await codes({ password, newPassword: 'grace@example.com' })).toEqual([
    ['newPassword', 'password_is_email'],
  ])
  expect((await database.me(user.token.jwt)).statusCode).toBe(200)
})

it('delays guesses of the password like failed logins', async ({ usher }) => {
  const database = await usher.newDatabase()
  const user = await database.signedUp({ email: 'ada@example.com' })
  const guess = () => change(database, user, { password: 'wrong password', newPassword })
  const statuses: number[] = []
  for (let round = 0; round < 6; round++) statuses.push((await guess()).statusCode)
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  expect((await database.login({ email: 'ada@example.com', password })).statusCode).toBe(429)
  const elsewhere = await usher.newDatabase()
  const response = await change(elsewhere, user, { password, newPassword })
  expect(response.json().code).toBe('token_invalid')
})

it('returns an error of the field for a wrong password', async ({ database }) => {
  const response = await change(database, await database.signedUp(), {
    password: 'wrong password',
    newPassword,
  })
  expect([response.statusCode, response.json().errors]).toMatchObject([
    400,
    [{ path: 'password', code: 'password_wrong' }],
  ])
})
