import type { AddedFactor } from '@usher/contract'
import { password, type TestApi, type TestDatabase } from './app.js'
import { type Authenticator, createAuthenticator, type Lie } from './authenticator.js'

interface Owner {
  jwt: string
  /** What confirms changes of the user, besides the password. */
  confirmed: object
}

/**
 * Returns what a scene does with passkeys.
 *
 * @param owner the user of the scene, who may have other factors
 */
export function passkeysOf(api: TestApi, database: TestDatabase, owner: () => Promise<Owner>) {
  /** Returns the body that adds a passkey, and its authenticator. */
  async function enrolled({ jwt, confirmed }: Owner) {
    const authenticator = createAuthenticator()
    const begun = await database.as(jwt, 'POST', 'me/factors/passkey', { password, ...confirmed })
    return { authenticator, body: { passkey: authenticator.create(begun.json().options), name: 'Phone' } }
  }
  let added: Promise<AddedFactor & { authenticator: Authenticator }> | undefined
  /** Adds a passkey to the user, at the first call. */
  function passkey() {
    added ??= owner().then(async (user) => {
      const { authenticator, body } = await enrolled(user)
      const response = await database.as(user.jwt, 'POST', 'me/factors/passkey/confirm', body)
      return { authenticator, ...response.json() }
    })
    return added
  }
  return {
    enrolled,
    passkey,
    /** Returns the body that logs in with the passkey of the user. */
    async assertion(lie?: Lie) {
      const { authenticator } = await passkey()
      const begun = await api.send({ method: 'POST', url: `${database.users}/login/passkey` })
      return { passkey: authenticator.get(begun.json().options, lie) }
    },
    /** Returns the proof of the user of a token. */
    async provenBy(jwt: string) {
      const { authenticator } = await passkey()
      const begun = await database.as(jwt, 'POST', 'me/step-up/begin')
      return { passkey: authenticator.get(begun.json().options) }
    },
  }
}
