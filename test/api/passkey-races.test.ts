import { expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { outcome } from '../support/codes.js'
import { it } from '../support/passkeys.js'

it('adds at most ten passkeys, of twelve that are added together', async ({ passkeys, app }) => {
  const { token } = await app.signedUp(validUser())
  const responses = []
  for (let count = 0; count < 12; count++)
    responses.push((await app.as(token.jwt, 'POST', 'me/factors/passkey', { password })).json().options)
  const added = await Promise.all(
    responses.map((options) => {
      const passkey = createAuthenticator().create(options)
      return app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey })
    }),
  )
  const full = added.filter(({ statusCode }) => statusCode !== 201)
  expect(full.map(outcome)).toEqual([
    [409, 'factors_full'],
    [409, 'factors_full'],
  ])
  const { factors, recoveryCodes } = (await app.as(token.jwt, 'GET', 'me/factors')).json()
  expect([factors.length, recoveryCodes]).toEqual([10, 8])
  expect(added.filter((each) => each.json().recoveryCodes?.length)).toHaveLength(1)
  await passkeys.options()
})

it('logs in before or after a removal, and never afterwards', async ({ passkeys, app }) => {
  for (let round = 0; round < 5; round++) {
    const { authenticator, factor, token, confirmation } = await passkeys.owner()
    const options = await Promise.all([passkeys.options(), passkeys.options(), passkeys.options()])
    const [removed, ...logins] = await Promise.all([
      app.as(token.jwt, 'POST', `me/factors/${factor.id}/removal`, { confirmation: confirmation.value }),
      ...options.map((each) => passkeys.post('login/passkey/confirm', { passkey: authenticator.get(each) })),
    ])
    expect(removed.statusCode, removed.body).toBe(200)
    for (const login of logins) {
      if (login.statusCode !== 200) {
        expect(['passkey_unknown', 'passkey_invalid']).toContain(login.json().code)
        continue
      }
      // The removal has revoked the token of a login before it.
      expect(outcome(await app.me(login.json().token.jwt))).toEqual([401, 'token_invalid'])
    }
    expect(outcome(await passkeys.login(authenticator))).toEqual([401, 'passkey_unknown'])
  }
})

it('accepts one of two uses of a counter, such as of a key and its copy at the same time', async ({
  passkeys,
}) => {
  const { authenticator } = await passkeys.owner({ isSynced: false })
  const copy = authenticator.clone()
  const [one, other] = [await passkeys.options(), await passkeys.options()]
  const responses = await Promise.all([
    passkeys.post('login/passkey/confirm', { passkey: authenticator.get(one) }),
    passkeys.post('login/passkey/confirm', { passkey: copy.get(other) }),
  ])
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
})
