import { createHmac, hkdfSync } from 'node:crypto'
import { networkOf, siteOf } from './client-network.js'

const minuteMilliseconds = 60_000
const hourMilliseconds = 60 * minuteMilliseconds
const dayMilliseconds = 24 * hourMilliseconds

/**
 * Mails of one kind that a client may request per hour. Many people can share a network (an office or a household) or a
 * site (the /48 of an IPv6 address, with thousands of networks). An email address belongs to one person.
 */
export const mailsPerHour = { network: 20, site: 40, address: 5 }

/**
 * Invitations that a user may send, and that an address may get per day. There is no limit per network, because colleagues
 * invite from one office.
 */
export const invitationLimits = { perHour: 20, perDay: 100, addressPerDay: 5 }

/** Requests to change the address, or notices, per hour and user. */
export const mailsPerHourOfUser = 5

/** The name of a limit, which the audit line of a rejected request contains. */
export type LimitName = keyof typeof mailsPerHour | 'inviter' | 'user' | 'database'

/** A limit of mails in a time window. A used allowance becomes full again at a constant rate. */
export interface MailLimit {
  name: LimitName
  /** HMAC of the network, site, address, inviter, user or database whose mails are counted. */
  source: Uint8Array
  /** Undefined to count all kinds of mails together. */
  purpose: string | undefined
  /** Time in which an empty allowance becomes full. */
  windowMilliseconds: number
  /** Time by which each mail delays the full allowance. */
  mailMilliseconds: number
}

/** A mail that a client requests, an invitation by a user, or a notice to a user. */
export type MailRequest = { purpose: string } & (
  | { canonicalEmail: string; clientAddress: string; userId?: string }
  | { canonicalEmail: string; inviterId: string }
  | { userId: string }
)

export interface MailSettings {
  id: string
  /** 0: no limit. */
  mailsPerHour: number
}

interface Rate {
  mails: number
  windowMilliseconds: number
}

const perMinute = (mails: number): Rate => ({ mails, windowMilliseconds: minuteMilliseconds })
const perHour = (mails: number): Rate => ({ mails, windowMilliseconds: hourMilliseconds })
const perDay = (mails: number): Rate => ({ mails, windowMilliseconds: dayMilliseconds })

/**
 * Returns a function that returns the limits of a request, in the order in which they are counted and locked. The
 * limit of the database is last, because all requests of the database wait for its lock.
 */
export function createMailLimits(masterKey: Buffer) {
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'usher mail limits', 32))
  const sourceOf = (...texts: string[]) =>
    new Uint8Array(createHmac('sha256', secret).update(JSON.stringify(texts)).digest())
  return (database: MailSettings, request: MailRequest): MailLimit[] => {
    const { purpose } = request
    const limit = (name: LimitName, value: string, { mails, windowMilliseconds }: Rate) => ({
      name,
      source: sourceOf(database.id, name, value, String(windowMilliseconds)),
      purpose: name === 'database' ? undefined : purpose,
      windowMilliseconds,
      mailMilliseconds: Math.floor(windowMilliseconds / mails),
    })
    const ofInviter = (inviterId: string, mailbox: string) => [
      limit('inviter', inviterId, perHour(invitationLimits.perHour)),
      limit('inviter', inviterId, perDay(invitationLimits.perDay)),
      limit('address', mailbox, perDay(invitationLimits.addressPerDay)),
    ]
    const ofClient = (clientAddress: string, mailbox: string) => {
      const site = siteOf(clientAddress)
      return [
        limit('network', networkOf(clientAddress), perHour(mailsPerHour.network)),
        ...(site ? [limit('site', site, perHour(mailsPerHour.site))] : []),
        limit('address', mailbox, perMinute(1)),
        limit('address', mailbox, perHour(mailsPerHour.address)),
      ]
    }
    return [
      ...('inviterId' in request ? ofInviter(request.inviterId, withoutTag(request.canonicalEmail)) : []),
      ...('clientAddress' in request
        ? ofClient(request.clientAddress, withoutTag(request.canonicalEmail))
        : []),
      ...('userId' in request && request.userId
        ? [limit('user', request.userId, perHour(mailsPerHourOfUser))]
        : []),
      ...(database.mailsPerHour > 0 ? [limit('database', '', perHour(database.mailsPerHour))] : []),
    ]
  }
}

/**
 * Returns an address without what many mail systems ignore: `ada+lists@example.com` is delivered to
 * `ada@example.com`.
 */
function withoutTag(canonicalEmail: string) {
  const at = canonicalEmail.lastIndexOf('@')
  const tag = canonicalEmail.slice(0, at).indexOf('+')
  return tag > 0 ? canonicalEmail.slice(0, tag) + canonicalEmail.slice(at) : canonicalEmail
}
