import type { AppRoute, AppRouteQuery } from '@ts-rest/core'
import type { z } from 'zod'
import type { Scope } from './management/scopes.js'
import type { OperatorRole } from './operator/fields.js'

/** A role that an operator needs, and where it counts. */
export interface OperatorRight {
  /** The least role. */
  operator: OperatorRole
  in: 'workspace' | 'installation' | 'anywhere'
}

type WithoutOperators =
  | 'anyone'
  | { host: true }
  | { user: 'needed' | 'optional'; ofTenant?: true; portal?: true }
  | { key: Scope; operator?: never }

/**
 * Who may use an operation: anyone; users with their access token, which may be optional, `ofTenant` if a token of a tenant will do, or
 * instead who has the token of a portal; backends whose API key has the scope;
 * operators with the role. The machine of the server may do what keys and operators may, and what is only for the host, which no port serves.
 */
export type Who = WithoutOperators | OperatorRight | ({ key: Scope } & OperatorRight)

/** What a field of the body needs in addition. */
export interface FieldRight {
  /** Its path, such as `settings.appUrl`. */
  name: string
  /** Only with this value, or with a number below this one. By default with any value. */
  is?: string | boolean
  below?: number
  /** The scope that an API key needs. */
  scope?: Scope
  /** Whether an operator needs a confirmation, or may never send it. */
  operator?: 'confirms' | 'never'
}

/** What an operator has done, in words that follow a name. */
export interface Recorded {
  words: string
  /** Other words for a request that sets only these fields, such as `disabled: true`. */
  when?: Readonly<Record<string, string>>
}

/** What the contract says about an operation beyond what ts-rest defines. */
export interface RouteMetadata {
  who: Who
  /** The part of a database without which the operation does not exist there. */
  on?: 'account' | 'tenants' | 'sso' | 'loginMail' | 'factors' | 'passkeys' | 'botCheck'
  /** Whether the header `Usher-Confirmation` must prove that the operator is there, or by which operation it is returned. */
  confirms?: 'always' | { by: string }
  fields?: readonly FieldRight[]
  /** How the recorded request of an operator is called. False: it is not recorded. */
  records?: Recorded | false
  /** Whether it is about the operator who sends it, so that the machine of the server cannot. */
  isOwn?: true
  /** Whether its rule finds the database, because it may be being deleted. */
  findsDatabase?: true
  /** Whether it only reads the user of its path, who is then read together with the API key. */
  readsUser?: true
  /** Whether it computes password hashes: it is rejected early while the queue for them is full. */
  hashesPassword?: boolean
  /** Field of the body with a new password, which the policy of the database checks in addition to the contract. */
  newPassword?: 'password' | 'newPassword'
  /** The body is NDJSON: a JSON value per line. The type of a line. */
  lines?: { each: z.ZodType }
  /** Bytes of the longest body, if not those of its API. */
  maxBytes?: number
  /** Whether each port of a server serves it, whatever else the port serves. */
  everyPort?: true
  /** Whether there is an HTML page for browsers. */
  html?: boolean
  /** IDs of the operations that can follow. They need a value from the response, or from the mail that it causes. */
  links?: readonly string[]
  /** Fields of the resource that clients can change. The response has a strong ETag of them. */
  changeable?: readonly string[]
  /** The `Cache-Control` header of a success. */
  cacheControl?: string
  /** Whether the response has an ETag, so that a client can revalidate it. */
  revalidates?: boolean
  /**
   * Whether a client may repeat the request after status 503 or without a response, although the server may have
   * processed it. GET requests and requests with an Idempotency-Key may be repeated by default.
   */
  isRepeatable?: boolean
  /** Whether a success may have `Retry-After`. */
  mayAskToWait?: boolean
  /**
   * Whose access token the response has: that of a `login`, a `renewal` for the same user, whose sessions have ended, or that of the
   * `session` of the request. Every
   * operation that may return a token has it, unless it also returns the refresh token of a session.
   */
  signsIn?: 'login' | 'renewal' | 'session'
  /** Which sessions of the user end: `all`, all `others`, or the `one` of the path. Access tokens of them are revoked. */
  signsOut?: 'all' | 'others' | 'one'
}

/** An operation that changes something says whether the requests of operators are recorded. */
type ChangeMetadata = RouteMetadata & ({ who: WithoutOperators } | { records: Recorded | false })

/** What every router of the contract satisfies: an operation without the metadata that it needs does not compile. */
export type DescribedRoutes = Record<
  string,
  | (AppRouteQuery & { metadata: RouteMetadata })
  | (Exclude<AppRoute, AppRouteQuery> & { metadata: ChangeMetadata })
>

/** Returns what an operation needs from an operator. Undefined if operators have no right to it. */
export const operatorRightOf = ({ who }: Pick<RouteMetadata, 'who'>): OperatorRight | undefined =>
  typeof who === 'object' && 'operator' in who && who.operator ? who : undefined

/** Returns the scope that an API key needs for an operation. Undefined if it takes no key. */
export const scopeOf = ({ who }: Pick<RouteMetadata, 'who'>): Scope | undefined =>
  typeof who === 'object' && 'key' in who ? who.key : undefined

/** Returns whether an operation needs the access token of a user, or may have one. */
export const userTokenOf = ({ who }: Pick<RouteMetadata, 'who'>) =>
  typeof who === 'object' && 'user' in who ? who.user : undefined

/** Returns whether an operation takes tokens that single sign-on of a tenant has opened. */
export const takesTenantToken = ({ who }: Pick<RouteMetadata, 'who'>) =>
  typeof who === 'object' && 'user' in who && who.ofTenant === true

/** Returns whether the token of a portal may take the place of that of a user. */
export const takesPortal = ({ who }: Pick<RouteMetadata, 'who'>) =>
  typeof who === 'object' && 'user' in who && who.portal === true

/** Returns whether only the machine of the server may use an operation. */
export const isHostOnly = ({ who }: Pick<RouteMetadata, 'who'>) => typeof who === 'object' && 'host' in who

/** The routes of all nouns of a contract, by name. */
export type RoutesOf<Contract> = Together<Contract[keyof Contract]>

type Together<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void
  ? All
  : never
