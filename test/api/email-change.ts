import { expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { it as codesTest, elsewhere, notices } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

export const ada = 'ada@example.com'
export const next = 'ada@engines.example'

/** Returns the subjects of mails. */
export const subjects = (mails: readonly ReceivedMail[]) => mails.map(({ parsed }) => parsed.subject)

/** `it` with the operations that change an address. */
export const it = codesTest.extend('address', async ({ app, usher, smtp }) => {
  // The clock of the app must agree with the clock of the store, which also decides which tokens are rejected.
  app.clock.now = Date.now()
  await setDatabase(usher.store, app, notices(true))
  const post = (path: string, payload: object, token?: string) =>
    usher.send({
      method: 'POST',
      url: `${app.users}/${path}`,
      remoteAddress: elsewhere(),
      payload,
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    })
  const request = (token: string, email: string, given = password) =>
    post('me/email', { email, password: given }, token)
  const confirm = (code: string) => post('email-change/confirm', { code })
  const undo = (code: string) => post('email-change/undo', { code })
  // The mailer writes domains in lower case.
  const mailsTo = (address: string) =>
    smtp.mails.filter(({ recipients }) => recipients[0]?.toLowerCase() === address.toLowerCase())
  /** Waits until an address has got a number of mails. Returns the last one. */
  const mailTo = async (address: string, count = 1) => {
    await vi.waitFor(() => expect(mailsTo(address).length).toBeGreaterThanOrEqual(count), 10_000)
    return mailsTo(address).at(-1) as ReceivedMail
  }
  /** Waits for the next mail to an address that has a code of a page. Returns the code. */
  const codeTo = async (address: string, page: string, after = 0) => {
    const found = () =>
      mailsTo(address)
        .slice(after)
        .filter(({ parsed }) => parsed.text?.includes(`/${page}#code=`))
    await vi.waitFor(() => expect(found().length).toBeGreaterThan(0), 10_000)
    return codeIn(found().at(-1) as ReceivedMail)
  }
  const resetCode = async (email: string) => {
    const before = mailsTo(email).length
    expect((await app.requestReset(email)).statusCode).toBe(202)
    return codeTo(email, 'reset-password', before)
  }
  /** Requests a change, and returns the code in the mail to the new address. */
  const requested = async (token: string, email: string, given = password) => {
    const before = mailsTo(email).length
    expect((await request(token, email, given)).statusCode).toBe(202)
    return codeTo(email, 'change-email', before)
  }
  /** Changes the verified address of a user, and returns the code to undo that. */
  const changed = async (token: string, from: string, to: string) => {
    await app.markVerified(from)
    const before = mailsTo(from).length
    const code = await requested(token, to)
    expect((await confirm(code)).json()).toEqual({ email: to })
    app.clock.now += 2_000
    return codeTo(from, 'undo-email-change', before)
  }
  /** Logs in, and returns the token. */
  const loggedIn = async (email: string): Promise<string> => {
    const response = await app.login({ email, password })
    expect(response.statusCode).toBe(200)
    return response.json().token.jwt
  }
  const rows = () =>
    usher.store.prisma.user.findMany({ where: { databaseId: app.id }, orderBy: { createdAt: 'asc' } })
  return { request, confirm, undo, mailsTo, mailTo, codeTo, resetCode, requested, changed, loggedIn, rows }
})
