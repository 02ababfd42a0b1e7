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
 * Invitations that a user may send, and that an address may get per day. More of them per network than of other mails,
 * because colleagues invite from one office.
 */
export const invitationLimits = { perHour: 20, perDay: 100, addressPerDay: 5, network: 60, site: 120 }

/** Requests to change the address, or notices, per hour and user. */
export const mailsPerHourOfUser = 5

/** Changes of the single sign-on of a tenant that are mailed to its owners, per hour. */
export const ssoMailsPerHour = 5

/** Addresses whose single sign-on clients may look up per hour. An office can share a network. */
export const routesPerHour = { network: 1_000, site: 2_000 }

/** Sign-ups of a site, as a multiple of those of a network. */
const networksOfSite = 2

/**
 * The kinds of mails with which users return to their accounts. Other kinds together get half of the mails of a database, so
 * that nobody can use up those of the first.
 */
const recoveryPurposes = ['password_reset', 'email_verification', 'login_code']

/** The name of a limit, which the audit line of a rejected request contains. */
export type LimitName = keyof typeof mailsPerHour | 'inviter' | 'user' | 'tenant' | 'database'

/** A limit of requests in a time window. A used allowance becomes full again at a constant rate. */
export interface RequestLimit {
  name: LimitName
  /** HMAC of the network, site, address, inviter, user, tenant or database whose requests are counted. */
  source: Uint8Array
  /** Undefined to count several kinds of mails together. */
  purpose: string | undefined
  /** Time in which an empty allowance becomes full. */
  windowMilliseconds: number
  /** Time by which each request delays the full allowance. */
  requestMilliseconds: number
}

/** A sign-up. */
interface SignUp {
  purpose: 'sign_up'
  clientAddress: string
}

/** A look-up of the single sign-on of an address. */
interface LoginRoute {
  purpose: 'sso_route'
  clientAddress: string
}

/** A mail that a client requests, to an address or, with `inviterId`, as an invitation. */
interface RequestedMail {
  purpose: string
  canonicalEmail: string
  clientAddress: string
  userId?: string
  inviterId?: string
}

/** A notice to a user. */
interface Notice {
  purpose: 'notice'
  userId: string
}

/** Mails to the owners of a tenant about a change of its single sign-on. */
interface SsoMail {
  purpose: 'sso_changed'
  tenantId: string
}

export type LimitedRequest = SignUp | LoginRoute | RequestedMail | Notice | SsoMail

export interface LimitSettings {
  id: string
  /** 0: no limit. */
  mailsPerHour: number
  /** 0: no limit. Then sign-ups are not counted. */
  signUpsPerHour: number
}

interface Rate {
  requests: number
  windowMilliseconds: number
}

const perMinute = (requests: number): Rate => ({ requests, windowMilliseconds: minuteMilliseconds })
const perHour = (requests: number): Rate => ({ requests, windowMilliseconds: hourMilliseconds })
const perDay = (requests: number): Rate => ({ requests, windowMilliseconds: dayMilliseconds })

/**
 * Returns a function that returns the limits of a request, in the order in which they are counted and locked. The
 * limits of the database are last, because all requests of the database wait for their locks.
 */
export function createRequestLimits(masterKey: Buffer) {
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'usher mail limits', 32))
  const sourceOf = (...texts: string[]) =>
    new Uint8Array(createHmac('sha256', secret).update(JSON.stringify(texts)).digest())
  return (database: LimitSettings, request: LimitedRequest): RequestLimit[] => {
    const { purpose } = request
    const limit = (name: LimitName, value: string, { requests, windowMilliseconds }: Rate) => ({
      name,
      source: sourceOf(database.id, name, value, String(windowMilliseconds)),
      purpose: name === 'database' ? undefined : purpose,
      windowMilliseconds,
      requestMilliseconds: Math.floor(windowMilliseconds / requests),
    })
    const ofClient = (clientAddress: string, { network, site }: { network: number; site: number }) => {
      const siteName = siteOf(clientAddress)
      return [
        limit('network', networkOf(clientAddress), perHour(network)),
        ...(siteName ? [limit('site', siteName, perHour(site))] : []),
      ]
    }
    if (isSignUp(request)) {
      const { signUpsPerHour: network } = database
      return ofClient(request.clientAddress, { network, site: networksOfSite * network })
    }
    if (isLoginRoute(request)) return ofClient(request.clientAddress, routesPerHour)
    // Not by the database, whose limit others can use up.
    if (isSsoMail(request)) return [limit('tenant', request.tenantId, perHour(ssoMailsPerHour))]
    const ofMailbox = (mailbox: string, inviterId: string | undefined) =>
      inviterId === undefined
        ? [limit('address', mailbox, perMinute(1)), limit('address', mailbox, perHour(mailsPerHour.address))]
        : [
            limit('inviter', inviterId, perHour(invitationLimits.perHour)),
            limit('inviter', inviterId, perDay(invitationLimits.perDay)),
            limit('address', mailbox, perDay(invitationLimits.addressPerDay)),
          ]
    const ofDatabase = (mails: number) => [
      ...(recoveryPurposes.includes(purpose)
        ? []
        : [limit('database', 'others', perHour(Math.ceil(mails / 2)))]),
      limit('database', '', perHour(mails)),
    ]
    return [
      ...('canonicalEmail' in request
        ? [
            ...ofClient(
              request.clientAddress,
              request.inviterId === undefined ? mailsPerHour : invitationLimits,
            ),
            ...ofMailbox(withoutTag(request.canonicalEmail), request.inviterId),
          ]
        : []),
      ...('userId' in request && request.userId
        ? [limit('user', request.userId, perHour(mailsPerHourOfUser))]
        : []),
      ...(database.mailsPerHour > 0 ? ofDatabase(database.mailsPerHour) : []),
    ]
  }
}

const isLoginRoute = (request: LimitedRequest): request is LoginRoute => request.purpose === 'sso_route'

const isSsoMail = (request: LimitedRequest): request is SsoMail => request.purpose === 'sso_changed'

const isSignUp = (request: LimitedRequest): request is SignUp => request.purpose === 'sign_up'

/**
 * Returns an address without what many mail systems ignore: `ada+lists@example.com` is delivered to
 * `ada@example.com`.
 */
function withoutTag(canonicalEmail: string) {
  const at = canonicalEmail.lastIndexOf('@')
  const tag = canonicalEmail.slice(0, at).indexOf('+')
  return tag > 0 ? canonicalEmail.slice(0, tag) + canonicalEmail.slice(at) : canonicalEmail
}
