import { expect, it } from 'vitest'
import { sendNotice } from '../../server/domain/change.js'
import { mailMessage } from '../../server/domain/notices/mail-message.js'
import { isNoticeOn, noticeMessages } from '../../server/domain/notices/notice.js'

const now = Date.parse('2026-03-01T12:00:00Z')
const database = {
  id: 'database',
  appUrl: 'https://app.example.com',
  mailsPerHour: 0,
  noticePasswordChanged: false,
  noticeEmailChanged: false,
  noticeNewNetwork: true,
  noticeSessionReused: false,
  noticeIdentity: false,
  noticeFactor: false,
  noticeSecondStep: false,
  noticeAccountDeleted: false,
}
const ada = { userId: 'ada', recipient: 'ada@example.com', isVerified: true, now: new Date(now) }

it('a notice is on if its setting is on and the database has an app URL', () => {
  expect(isNoticeOn(database, 'new_network')).toBe(true)
  expect(isNoticeOn(database, 'password_changed')).toBe(false)
  expect(isNoticeOn({ ...database, appUrl: null }, 'new_network')).toBe(false)
})

it('the message of a notice keeps the address of the user at that time', () => {
  expect(noticeMessages(database, 'password_changed', ada)).toEqual([])
  expect(noticeMessages(database, 'new_network', { ...ada, isVerified: false })).toEqual([])
  expect(noticeMessages(database, 'new_network', ada)).toEqual([
    {
      databaseId: 'database',
      id: expect.any(String),
      kind: 'mail',
      userId: 'ada',
      payload: { type: 'new_network' },
      recipient: 'ada@example.com',
      createdAt: new Date(now),
      dueAt: new Date(now),
    },
  ])
})

it('the message of a mail may name another template than that of its type, or no user', () => {
  const mail = { databaseId: 'database', type: 'password_reset', userId: undefined }
  expect(mailMessage(mail, new Date(now)).userId).toBeNull()
  const template = 'email_change_undone'
  expect(mailMessage({ ...mail, template }, new Date(now)).payload).toStrictEqual({
    type: 'password_reset',
    template,
  })
  expect(mailMessage(mail, new Date(now)).payload).toStrictEqual({ type: 'password_reset' })
})

/** Sends a notice, and returns what happened. */
async function sent({
  mailsOf = (change: () => Promise<object>) => change(),
  more = {},
  isWanted,
  isVerified = true,
}: {
  mailsOf?: (change: () => Promise<object>) => Promise<object>
  more?: object
  isWanted?: () => Promise<boolean>
  isVerified?: boolean
} = {}) {
  const happened: unknown[] = []
  const note = (name: string, ...values: unknown[]) => void happened.push([name, ...values])
  const query = async (_text: string, [databaseId, , kind, userId]: unknown[]) => {
    note('stored', databaseId, kind, userId)
    return []
  }
  const context = {
    now: () => now,
    store: {
      query: async () => (isVerified ? [{}] : []),
      transaction: async (_: string, work: (run: typeof query) => unknown) => work(query),
    },
    requestAllowance: {
      count: (_: object, request: object, change: (count: () => Promise<void>) => Promise<object>) => {
        note('counted', request)
        return mailsOf(() => change(async () => note('counted in the transaction')))
      },
    },
    deliver: (messages: { databaseId: string; kind: string }[]) =>
      note('delivered', ...messages.map(({ databaseId, kind }) => `${kind} of ${databaseId}`)),
  }
  const log = {
    warn: ({ err, ...fields }: { err: Error }, message: string) =>
      note('warned', err.message, fields, message),
    level: 'info',
    child: () => ({ info: (fields: object) => note('audited', fields) }),
  }
  const request = { database: { ...database, ...more }, caller: { log }, actor: { kind: 'visitor' } }
  await sendNotice(context as never, request as never, {
    notice: 'new_network',
    userId: 'ada',
    ...(isWanted && { isWanted }),
  })
  return happened
}

const counted = ['counted', { purpose: 'notice', userId: 'ada' }]
const inTransaction = ['counted in the transaction']
const stored = ['stored', 'database', 'mail', 'ada']
const delivered = ['delivered', 'mail of database']

it('a notice is counted, stored and delivered if it is on and wanted', async () => {
  expect(await sent()).toEqual([counted, inTransaction, stored, delivered])
  expect(await sent({ isWanted: async () => true })).toEqual([counted, inTransaction, stored, delivered])
  expect(await sent({ isWanted: async () => false })).toEqual([])
  expect(await sent({ isVerified: false })).toEqual([])
  let isAsked = false
  const isWanted = async () => {
    isAsked = true
    return true
  }
  expect(await sent({ isWanted, more: { noticeNewNetwork: false } })).toEqual([])
  expect(isAsked).toBe(false)
})

it('a notice beyond a limit is not delivered, and is audited', async () => {
  const limit = { limit: 'user', retryAfterSeconds: 1 }
  const audited = ['audited', { audit: 'mail.throttled', databaseId: 'database', limit: 'user' }]
  expect(await sent({ mailsOf: async () => limit })).toEqual([counted, audited])
})

it('a notice that cannot be stored fails no request, and is logged', async () => {
  const warned = [
    'warned',
    'unavailable',
    { databaseId: 'database', userId: 'ada', notice: 'new_network' },
    'a notice was not stored',
  ]
  const mailsOf = async () => {
    throw new Error('unavailable')
  }
  expect(await sent({ mailsOf })).toEqual([counted, warned])
})
