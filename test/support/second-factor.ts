import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { password, validUser } from './app.js'
import { it as codesTest } from './codes.js'

const stepMilliseconds = 30_000

/** Returns what an authenticator app shows at a time. */
export const totpAt = (secret: string, now: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })

/** `it` with a user who has an authenticator app and recovery codes. */
export const it = codesTest.extend('factor', async ({ app, usher, clock }) => {
  const post = (path: string, payload: object, remoteAddress = '192.0.2.1') =>
    usher.send({ method: 'POST', url: `${app.users}/${path}`, payload, remoteAddress })
  const given = validUser()
  const credentials = { email: given.email, password }
  const signedUp = await app.verifiedUser(given)
  const { jwt } = signedUp.token

  /** Adds an authenticator app. Returns its secret, and the response. */
  async function enrol(token: string, confirmation: object) {
    const { challenge, secret } = (await app.as(token, 'POST', 'me/factors/totp', confirmation)).json()
    const body = { challenge, totp: totpAt(secret, clock.now) }
    const added = await app.as(token, 'POST', 'me/factors/totp/confirm', body)
    expect(added.statusCode).toBe(201)
    return { secret: String(secret), ...added.json() }
  }

  const added = await enrol(jwt, { password })
  return {
    ...added,
    credentials,
    signedUp,
    post,
    enrol,
    /** Returns the current code, which was not used before. */
    nextCode() {
      clock.now += stepMilliseconds
      return totpAt(added.secret, clock.now)
    },
    /** Logs in with the password. Returns the second step. */
    async firstStep() {
      const response = await app.login(credentials)
      expect([response.statusCode, response.json().code]).toEqual([401, 'second_factor_required'])
      return response.json().secondFactor as { challenge: string; methods: string[] }
    },
    /** Logs in with both factors. */
    async loggedIn() {
      const { challenge } = await this.firstStep()
      const response = await post('login/second-factor', { challenge, totp: this.nextCode() })
      expect(response.statusCode).toBe(200)
      return response.json()
    },
  }
})

/** Returns the claims of a token. */
export const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
