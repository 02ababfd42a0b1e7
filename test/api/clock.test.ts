import { afterEach, describe, expect, vi } from 'vitest'
import { it } from '../support/api.js'
import { password } from '../support/app.js'

afterEach(() => void vi.useRealTimers())

const hour = 3_600_000
const email = 'ada@example.com'

describe.each([
  ['a second', 1_000],
  ['an hour', hour],
])('a clock that steps back by %s', (_what, step) => {
  it('keeps no user out who just failed to log in', async ({ usher, clock }) => {
    const { signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    expect((await login({ email, password: 'not the password' })).statusCode).toBe(401)
    clock.now -= step
    expect((await login({ email, password })).statusCode).toBe(200)
  })

  it('makes nobody wait much longer than the throttle says', async ({ usher, clock }) => {
    const { signedUp, login } = await usher.newDatabase()
    await signedUp({ email })
    const fail = async () => (await login({ email, password: 'not the password' })).statusCode
    for (let i = 0; i < 5; i++) expect(await fail()).toBe(401)
    expect(await fail()).toBe(429)
    clock.now -= step
    // A second by the throttle, and as much as clocks may differ.
    clock.now += 1_000 + Math.min(step, 30_000)
    expect((await login({ email, password })).statusCode).toBe(200)
  })

  it('leaves a new database with a key to sign with', async ({ usher, clock }) => {
    const { createUser, me } = await usher.newDatabase()
    clock.now -= step
    const signedUp = await createUser({ email, password })
    expect(signedUp.statusCode).toBe(201)
    expect((await me(signedUp.json().token.jwt)).statusCode).toBe(200)
  })

  it('finds the sign-up of an Idempotency-Key from before', async ({ usher, clock }) => {
    const { users } = await usher.newDatabase()
    const headers = { 'idempotency-key': 'before' }
    const signUp = () => usher.send({ method: 'POST', url: users, payload: { email, password }, headers })
    const first = (await signUp()).json()
    clock.now -= step
    expect((await signUp()).json()).toMatchObject({ id: first.id })
  })

  it('lets ids go on rising', async ({ usher }) => {
    const { signedUp } = await usher.newDatabase()
    vi.useFakeTimers({ toFake: ['Date'] })
    const before = (await signedUp()).id
    vi.setSystemTime(Date.now() - step)
    const after = (await signedUp()).id
    expect(after > before).toBe(true)
  })
})

describe('a token from before a step back', () => {
  it.for([
    ['stays good where another machine’s clock might be as far ahead', 30_000, 200],
    ['is refused where it would be one from the future', 31_000, 401],
  ] as const)('%s', async ([, step, status], { usher, clock }) => {
    const { signedUp, login, me } = await usher.newDatabase()
    const { token } = await signedUp({ email })
    clock.now -= step
    expect((await me(token.jwt)).statusCode).toBe(status)
    const fresh = (await login({ email, password })).json()
    expect((await me(fresh.token.jwt)).statusCode).toBe(200)
  })
})
