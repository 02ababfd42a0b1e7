import type { AppRoute } from '@ts-rest/core'
import type { z } from 'zod'
import type { Scope } from './management/scopes.js'

/** What the contract says about an operation beyond what ts-rest defines. */
export interface RouteMetadata {
  /** Whether the request needs an access token, or may have one. */
  security?: 'bearer' | 'optional bearer'
  /** The scope that the API key of the request needs. Only operations of the management API take a key. */
  scope?: Scope
  /** Whether it computes password hashes: it is rejected early while the queue for them is full. */
  hashesPassword?: boolean
  /** Field of the body with a new password, which the policy of the database checks in addition to the contract. */
  newPassword?: 'password' | 'newPassword'
  /** The body is NDJSON: a JSON value per line. The type of a line, and the bytes of all of them. */
  lines?: { each: z.ZodType; maxBytes: number }
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

/** What every router of the contract satisfies, so that a misspelt property of `metadata` does not compile. */
export type DescribedRoutes = Record<string, AppRoute & { metadata?: RouteMetadata }>
