import { expect } from 'vitest'
import { password, validUser } from './app.js'
import { type Authenticator, createAuthenticator, type Lie, type Model } from './authenticator.js'
import { it as codesTest } from './codes.js'
import { setDatabase } from './operator-changes.js'

/** `it` with a database whose users can have passkeys, and what an app does with them. */
export const it = codesTest.extend('passkeys', async ({ app, usher }) => {
  await setDatabase(usher.store, app, { appUrl: 'https://app.example.com' })
  usher.clock.cacheAhead += 6_000
  const post = (path: string, payload?: object, remoteAddress = '192.0.2.1') =>
    usher.send({ method: 'POST', url: `${app.users}/${path}`, remoteAddress, ...(payload && { payload }) })

  /** Adds a passkey to the user of a token. Returns the response. */
  async function add(token: string, authenticator: Authenticator, more: { lie?: Lie; body?: object } = {}) {
    const begun = await app.as(token, 'POST', 'me/factors/passkey', { password, ...more.body })
    expect(begun.statusCode, begun.body).toBe(200)
    const passkey = authenticator.create(begun.json().options, more.lie)
    return app.as(token, 'POST', 'me/factors/passkey/confirm', { passkey, name: 'Phone' })
  }
  const options = async () => (await post('login/passkey')).json().options
  return {
    post,
    add,
    options,
    /** Logs in with a passkey. Returns the response. */
    login: async (authenticator: Authenticator, lie?: Lie) =>
      post('login/passkey/confirm', { passkey: authenticator.get(await options(), lie) }),
    /** Signs a user up who adds a passkey. */
    async owner(model: Model = {}) {
      const authenticator = createAuthenticator(model)
      const given = validUser()
      const signedUp = await app.verifiedUser(given)
      const added = await add(signedUp.token.jwt, authenticator)
      expect(added.statusCode, added.body).toBe(201)
      return { authenticator, credentials: { email: given.email, password }, signedUp, ...added.json() }
    },
  }
})
