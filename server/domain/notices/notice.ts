import { notices } from '@usher/contract/settings'
import type { Database } from '../../store/generated/client.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import { inLanguages, mailMessage } from './mail-message.js'

type NoticeSetting = keyof typeof notices
/** A mail without a code about a change of the account. */
export type Notice = (typeof notices)[NoticeSetting]['mails'][number]

/** The setting that turns each notice on. */
const settingOf = Object.fromEntries(
  Object.entries(notices).flatMap(([setting, { mails }]) => mails.map((mail) => [mail, setting])),
) as Record<Notice, NoticeSetting>

/** How long a mail that could not be sent keeps the address of a user who may be deleted. */
export const noticeMilliseconds = 30 * 86_400_000

/** The part of a database that decides which notices its users get. */
export type NoticeSource = Pick<Database, 'id' | 'appUrl' | NoticeSetting>

/** A user who gets a notice. */
interface Notified {
  userId: string
  /** The address when it happened: the user may have another one, or be deleted, when the mail is sent. */
  recipient: string
  /** Whether the address was verified. */
  isVerified: boolean
  now: Date
  /** What the operator calls the provider of an identity. */
  provider?: string
  /** The locale of a user who is deleted. By default, it is read when the mail is sent. */
  locale?: string | null
}

/** Returns whether the users of a database get a notice. A database without app URL sends no mails. */
export const isNoticeOn = (database: NoticeSource, notice: Notice) =>
  database.appUrl !== null && database[settingOf[notice]]

/**
 * Returns the message of a notice, which is written with its change. Returns none if the notice is off, or if the address was
 * never verified: anyone can sign up with the address of a stranger, and change the password without end.
 */
export const noticeMessages = (
  database: NoticeSource,
  notice: Notice,
  { now, isVerified, locale = null, ...notified }: Notified,
): readonly NewMessage[] =>
  isVerified && isNoticeOn(database, notice)
    ? inLanguages([mailMessage({ databaseId: database.id, type: notice, ...notified }, now)], [locale])
    : []
