import { createHmac, hkdfSync } from 'node:crypto'
import { networkOf, siteOf } from './client-network.js'

const minuteMilliseconds = 60_000
const hourMilliseconds = 60 * minuteMilliseconds

/**
 * Mails of one kind that a client may request. The network is that of an office or of a household, and the site, the /48
 * of an IPv6 address, has thousands of networks: both may serve many people, but an address is one person's.
 */
export const mailsPerHour = { network: 20, site: 40, address: 5 }

/** What the audit log names as the limit that a request exceeds. */
export type LimitName = keyof typeof mailsPerHour | 'database'

/** So many mails in a time, and again as many once that has passed: an allowance that fills up evenly. */
export interface MailLimit {
  name: LimitName
  /** HMAC of what is counted. */
  source: Uint8Array
  /** Over all kinds of mails, if undefined. */
  purpose: string | undefined
  /** In which a used up allowance is full again. */
  windowMilliseconds: number
  /** By which each mail delays the time of the full allowance. */
  mailMilliseconds: number
}

/** A request for a mail. */
export interface MailRequest {
  purpose: string
  canonicalEmail: string
  clientAddress: string
}

export interface MailSettings {
  id: string
  /** 0: no limit. */
  mailsPerHour: number
}

/**
 * Returns a function that returns the limits of a request, in the order in which they are counted and locked. The
 * network's is first, and the database's is last, because all requests of a database wait for it.
 */
export function createMailLimits(masterKey: Buffer) {
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'usher mail limits', 32))
  const sourceOf = (...texts: string[]) =>
    new Uint8Array(createHmac('sha256', secret).update(JSON.stringify(texts)).digest())
  return (database: MailSettings, { purpose, canonicalEmail, clientAddress }: MailRequest): MailLimit[] => {
    const limit = (
      [name, value]: [LimitName, string],
      mails: number,
      windowMilliseconds = hourMilliseconds,
    ) => ({
      name,
      source: sourceOf(database.id, name, value, String(windowMilliseconds)),
      purpose: name === 'database' ? undefined : purpose,
      windowMilliseconds,
      mailMilliseconds: Math.floor(windowMilliseconds / mails),
    })
    const site = siteOf(clientAddress)
    const mailbox = withoutTag(canonicalEmail)
    return [
      limit(['network', networkOf(clientAddress)], mailsPerHour.network),
      ...(site ? [limit(['site', site], mailsPerHour.site)] : []),
      limit(['address', mailbox], 1, minuteMilliseconds),
      limit(['address', mailbox], mailsPerHour.address),
      ...(database.mailsPerHour > 0 ? [limit(['database', ''], database.mailsPerHour)] : []),
    ]
  }
}

/** Returns an address without what many mail systems ignore: `ada+lists@example.com` is delivered to `ada@example.com`. */
function withoutTag(canonicalEmail: string) {
  const at = canonicalEmail.lastIndexOf('@')
  const tag = canonicalEmail.slice(0, at).indexOf('+')
  return tag > 0 ? canonicalEmail.slice(0, tag) + canonicalEmail.slice(at) : canonicalEmail
}
