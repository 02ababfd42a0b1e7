import type { EnrolledPasskey } from '@usher/contract'
import { expect } from 'vitest'
import { password } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { outcome } from '../support/codes.js'
import { it } from '../support/passkeys.js'

it('adds one of several passkeys whose enrolments began together, and at most ten', async ({
  passkeys,
  app,
}) => {
  const owner = await passkeys.owner()
  const { jwt } = owner.token
  const begin = () =>
    app.as(jwt, 'POST', 'me/factors/passkey', { password, confirmation: owner.confirmation.value })
  const add = ({ options }: EnrolledPasskey) =>
    app.as(jwt, 'POST', 'me/factors/passkey/confirm', { passkey: createAuthenticator().create(options) })
  const begun = await Promise.all([begin(), begin(), begin()])
  const added = await Promise.all(begun.map((response) => add(response.json())))
  expect(added.map(outcome).sort()).toEqual([
    [201, undefined],
    [400, 'challenge_invalid'],
    [400, 'challenge_invalid'],
  ])
  for (let count = 2; count < 10; count++) expect((await add((await begin()).json())).statusCode).toBe(201)
  expect(outcome(await begin())).toEqual([409, 'factors_full'])
  const { factors, recoveryCodes } = (await app.as(jwt, 'GET', 'me/factors')).json()
  expect([factors.length, recoveryCodes]).toEqual([10, 8])
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
