import { describe, expect } from 'vitest'
import { it, outcome } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

const hour = 3_600_000

describe('a database that requires a token to verify an address', () => {
  it('verifies an address with its code and a token of its user', async ({ app, usher }) => {
    await setDatabase(usher.store, app, { verifyEmailWithToken: true })
    const session = await app.opened()
    const code = await app.verificationCode(session.token.jwt)
    expect((await app.verify(code, session.token.jwt)).statusCode).toBe(200)
    expect((await app.me(session.token.jwt)).json().emailVerified).toBe(true)
  })

  it('does not verify an address when its owner opens the link and another user has signed up with it', async ({
    app,
    usher,
    smtp,
  }) => {
    await setDatabase(usher.store, app, { verifyEmailWithToken: true })
    const stranger = await app.signedUp({ email: 'owner@example.com' })
    const code = await app.verificationCode(stranger.token.jwt)
    expect(smtp.mails[0]?.parsed.text).toContain('If you did not sign up, do not open the link.')
    const click = await app.verify(code)
    expect(outcome(click)).toEqual([401, 'token_missing'])
    expect(click.headers['www-authenticate']).toMatch(/^Bearer/)
    expect((await app.me(stranger.token.jwt)).json().emailVerified).toBe(false)
  })
})

describe('a database that verifies addresses at sign-up', () => {
  it('sends the mail that verifies the address after a sign-up, and not by default', async ({
    app,
    usher,
  }) => {
    await app.signedUp()
    expect(await app.delivered()).toEqual([])
    await setDatabase(usher.store, app, { verifyEmailAtSignUp: true })
    usher.clock.cacheAhead += 5_000
    const { token } = await app.signedUp({ email: 'ada@example.com' })
    const [mail, ...more] = await app.delivered()
    expect([mail?.recipients, more]).toEqual([['ada@example.com'], []])
    expect((await app.verify(codeIn(mail as ReceivedMail), token.jwt)).statusCode).toBe(200)
    expect((await app.me(token.jwt)).json().emailVerified).toBe(true)
    await expect.poll(usher.logged).toContain('"audit":"email_verification.requested"')
  })

  it('signs up without a mail when a limit of mails is reached, without an app, and without account operations', async ({
    app,
    usher,
  }) => {
    await setDatabase(usher.store, app, { verifyEmailAtSignUp: true, mailsPerHour: 1 })
    await app.signedUp()
    await app.signedUp()
    expect(await app.delivered()).toHaveLength(1)
    await expect.poll(usher.logged).toContain('"audit":"mail.throttled"')
    await setDatabase(usher.store, app, { mailsPerHour: 0, accountOperations: false })
    usher.clock.cacheAhead += 5_000
    await app.signedUp()
    await setDatabase(usher.store, app, { accountOperations: true, appUrl: null })
    usher.clock.cacheAhead += 5_000
    await app.signedUp()
    expect(await app.delivered()).toHaveLength(1)
  })
})

describe.each([true, false])('a code with a token (demanded: %s)', (verifyEmailWithToken) => {
  it('is refused and not used up with a token of another user, an invalid and an expired one', async ({
    app,
    usher,
  }) => {
    await setDatabase(usher.store, app, { verifyEmailWithToken })
    const [ada, grace] = [await app.signedUp(), await app.signedUp()]
    const code = await app.verificationCode(ada.token.jwt)
    expect(outcome(await app.verify(code, grace.token.jwt))).toEqual([400, 'code_invalid'])
    expect(outcome(await app.verify(code, `${grace.token.jwt}x`))).toEqual([401, 'token_invalid'])
    app.clock.now += hour
    expect(outcome(await app.verify(code, ada.token.jwt))).toEqual([401, 'token_expired'])
    app.clock.now -= hour
    expect((await app.me(ada.token.jwt)).json().emailVerified).toBe(false)
    expect((await app.verify(code, ada.token.jwt)).statusCode).toBe(200)
    expect((await app.me(grace.token.jwt)).json().emailVerified).toBe(false)
  })
})
