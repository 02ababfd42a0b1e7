import { afterEach, describe, expect, onTestFinished, vi } from 'vitest'
import { it } from '../support/api.js'
import { password, startApp } from '../support/app.js'
import { revokeTokens } from '../support/operator-changes.js'
import { passTimeSinceRefresh } from './passing-time.js'

afterEach(() => void vi.useRealTimers())

const hour = 3_600_000
const email = 'ada@example.com'

describe.each([
  ['a second', 1_000],
  ['an hour', hour],
])('a clock that steps back by %s', (_name, step) => {
  it('accepts a login after a failed one when the clock has stepped back', async ({ usher, clock }) => {
    const { signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    expect((await login({ email, password: 'not the password' })).statusCode).toBe(401)
    clock.now -= step
    expect((await login({ email, password })).statusCode).toBe(200)
  })

  it('extends a throttle wait by at most 30 seconds when the clock has stepped back', async ({
    usher,
    clock,
  }) => {
    const { signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    const fail = async () => (await login({ email, password: 'not the password' })).statusCode
    for (let i = 0; i < 5; i++) expect(await fail()).toBe(401)
    expect(await fail()).toBe(429)
    clock.now -= step
    // The wait of the throttle plus the permitted clock skew.
    clock.now += 1_000 + Math.min(step, 30_000)
    expect((await login({ email, password })).statusCode).toBe(200)
  })

  it('issues accepted tokens in a new database when the clock has stepped back', async ({ usher, clock }) => {
    const { createUser, me } = await usher.newDatabase()
    clock.now -= step
    const signedUp = await createUser({ email, password })
    expect(signedUp.statusCode).toBe(201)
    expect((await me(signedUp.json().token.jwt)).statusCode).toBe(200)
  })

  it('replays a sign-up by its Idempotency-Key when the clock has stepped back', async ({ usher, clock }) => {
    const { users } = await usher.newDatabase()
    const headers = { 'idempotency-key': 'before' }
    const signUp = () => usher.send({ method: 'POST', url: users, payload: { email, password }, headers })
    const first = (await signUp()).json()
    clock.now -= step
    expect((await signUp()).json()).toMatchObject({ id: first.id })
  })

  it('creates rising ids when the clock has stepped back', async ({ usher }) => {
    const { signedUp } = await usher.newDatabase()
    vi.useFakeTimers({ toFake: ['Date'] })
    const before = (await signedUp()).id
    vi.setSystemTime(Date.now() - step)
    const after = (await signedUp()).id
    expect(after > before).toBe(true)
  })
})

describe('tokens issued before the clock stepped back', () => {
  it.for([
    ['accepts a token issued 30 seconds ahead of the clock', 30_000, 200],
    ['rejects a token issued 31 seconds ahead of the clock', 31_000, 401],
  ] as const)('%s', async ([, step, status], { usher, clock }) => {
    const { signedUp, login, me } = await usher.newDatabase()
    const { token } = await signedUp({ email })
    clock.now -= step
    expect((await me(token.jwt)).statusCode).toBe(status)
    const fresh = (await login({ email, password })).json()
    expect((await me(fresh.token.jwt)).statusCode).toBe(200)
  })
})

it('accepts the token of a login that follows a revocation by a clock that was a day fast', async ({
  usher,
  clock,
}) => {
  const database = await usher.newDatabase()
  const { id } = await database.signedUp({ email })
  clock.now = Date.now()
  await revokeTokens({ store: usher.store, now: new Date(clock.now + 24 * hour) }, database, id)
  const { token } = (await database.login({ email, password })).json()
  expect((await database.me(token.jwt)).statusCode).toBe(200)
})

describe('two servers whose clocks are 25 seconds apart', () => {
  const newPassword = 'four random common words'
  it.for([
    ['DELETE', 'me/sessions', undefined, password],
    ['PUT', 'me/password', { password, newPassword }, newPassword],
  ] as const)(
    'each ends the sessions and refuses the token of the other by %s %s',
    async ([method, path, body, next], { usher, store, clock }) => {
      const other = await startApp(store)
      onTestFinished(other.close)
      const here = await usher.newDatabase()
      const there = other.client(here.workspaceSlug, here.databaseName)
      for (const [one, two] of [
        [here, there],
        [there, here],
      ] as const) {
        clock.now = Date.now()
        other.clock.now = clock.now + 25_000
        const user = { email: `${crypto.randomUUID()}@example.com` }
        const signedUp = await one.signedUp(user)
        const { token } = (await two.login({ ...user, password })).json()
        const session = (await two.openSession(token.jwt)).json()
        await one.as(signedUp.token.jwt, method, path, body)
        expect((await one.refresh(session.refreshToken.value)).json().code).toBe('session_ended')
        const again = (await two.login({ ...user, password: next })).json()
        await one.as(again.token.jwt, 'DELETE', 'me/sessions')
        expect((await two.me(again.token.jwt)).json().code).toBe('token_invalid')
        const last = (await two.login({ ...user, password: next })).json()
        const { refreshToken } = (await two.openSession(last.token.jwt)).json()
        expect((await one.refresh(refreshToken.value)).statusCode).toBe(200)
      }
    },
  )
})

describe('a refresh token that is used again at a server whose clock differs by 28 seconds', () => {
  it.for([
    ['returns the same token 3.5 seconds later at the server that is ahead', false, 3_500, true],
    ['returns the same token 29 seconds later at the server that is ahead', false, 29_000, true],
    ['returns the same token 29 seconds later at the server that is behind', true, 29_000, true],
    ['returns another token 45 seconds later at the server that is behind', true, 45_000, false],
    ['returns another token 31 seconds later at the server that is ahead', false, 31_000, false],
  ] as const)('%s', async ([, isFirstAhead, passed, isSame], { usher, store, clock }) => {
    const other = await startApp(store)
    onTestFinished(other.close)
    const database = await usher.newDatabase()
    const ahead = other.client(database.workspaceSlug, database.databaseName)
    clock.now = Date.now()
    other.clock.now = clock.now + 28_000
    const session = await database.opened({ email })
    const [first, second] = isFirstAhead ? [ahead, database] : [database, ahead]
    const next = (await first.refresh(session.refreshToken.value)).json()
    await passTimeSinceRefresh(store, database.id, session, passed)
    const again = await second.refresh(session.refreshToken.value)
    expect(again.statusCode).toBe(200)
    expect(again.json().refreshToken.value === next.refreshToken.value).toBe(isSame)
  })
})
