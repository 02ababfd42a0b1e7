import { expect, vi } from 'vitest'
import { it as apiTest } from './api.js'
import type { TestApi, TestDatabase } from './app.js'
import { setDatabase } from './operator-changes.js'
import { codeIn, type ReceivedMail, type Smtp, startSmtp } from './smtp.js'

export const appUrl = 'https://app.example.com/start'
export const newPassword = 'another battery staple'

/** Returns the settings of the notices that are on unless set. */
export const notices = (isOn: boolean) => ({
  noticePasswordChanged: isOn,
  noticeEmailChanged: isOn,
  noticeSessionReused: isOn,
  noticeIdentity: isOn,
  noticeFactor: isOn,
  noticeSecondStep: isOn,
  noticeAccountDeleted: isOn,
})

/** Returns the message of a sent code, as if the server had been killed after the mail was accepted. */
export const undeletedMessage = (databaseId: string, userId: string, code: string, now: number) => ({
  databaseId,
  id: code.slice(0, 36),
  kind: 'mail',
  userId,
  payload: { type: 'password_reset' },
  createdAt: new Date(now),
  dueAt: new Date(now + 120_000),
})

/** `it` with an SMTP server, and with a database that has an app. */
export const it = apiTest
  .extend('smtp', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const smtp = await startSmtp()
    onCleanup(smtp.close)
    return smtp
  })
  .extend('settings', { scope: 'file' }, ({ smtp }) => ({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Acme <accounts@acme.example>',
  }))
  // A database for each test, with an app and a clock, and without notices.
  .extend('app', async ({ usher, smtp, clock }, { onCleanup }) => {
    smtp.mails.splice(0)
    const database = await usher.newDatabase()
    // A message that waits would be sent in a later test, once the clock has reached its time. A mail that is being sent
    // would arrive there.
    onCleanup(async () => {
      const where = { databaseId: database.id }
      const left = await usher.store.prisma.message.findMany({ where })
      for (const { id } of left) smtp.ignored.add(id)
      await usher.store.prisma.message.deleteMany({ where })
    })
    await setDatabase(usher.store, database, { appUrl, ...notices(false) })
    return withCodes(usher, smtp, clock, database)
  })

let addresses = 0
/** Returns the address of a client in a separate network. */
export const elsewhere = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`

export const outcome = (response: { statusCode: number; json(): { code?: string } }) => [
  response.statusCode,
  response.json().code,
]

function withCodes(usher: TestApi, smtp: Smtp, clock: { now: number }, database: TestDatabase) {
  const post = (path: string, payload?: object, remoteAddress = elsewhere(), token?: string) =>
    usher.send({
      method: 'POST',
      url: `${database.users}/${path}`,
      remoteAddress,
      ...(payload && { payload }),
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    })
  const messages = () => usher.store.prisma.message.findMany({ where: { databaseId: database.id } })
  /** Waits until all messages are delivered. Returns the mails. */
  async function delivered(): Promise<ReceivedMail[]> {
    await vi.waitFor(async () => expect(await messages()).toEqual([]), 10_000)
    return smtp.mails
  }
  const requestReset = (email: string, from?: string) => post('password-reset', { email }, from)
  const requestVerification = (token: string, from?: string) =>
    post('me/email-verification', undefined, from, token)
  return {
    ...database,
    clock,
    messages,
    delivered,
    requestReset,
    requestVerification,
    reset: (code: string, chosen = newPassword) =>
      post('password-reset/confirm', { code, newPassword: chosen }),
    verify: (code: string, token?: string) => post('email-verification', { code }, undefined, token),
    /** Requests a mail and returns its code. */
    async resetCode(email: string) {
      const before = smtp.mails.length
      expect((await requestReset(email)).statusCode).toBe(202)
      await vi.waitFor(() => expect(smtp.mails.length).toBe(before + 1), 10_000)
      return codeIn(smtp.mails.at(-1) as ReceivedMail)
    },
    async verificationCode(token: string) {
      expect((await requestVerification(token)).statusCode).toBe(202)
      await vi.waitFor(() => expect(smtp.mails.length).toBeGreaterThan(0), 10_000)
      return codeIn(smtp.mails.at(-1) as ReceivedMail)
    },
  }
}
