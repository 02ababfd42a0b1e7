/** The ids in `data` of an event, by its type. */
interface EventIds {
  'user.created': 'userId'
  'user.updated': 'userId'
  'user.email_verified': 'userId'
  'user.reclaimed': 'userId'
  'user.password_changed': 'userId'
  'user.factor_added': 'userId'
  'user.factor_removed': 'userId'
  'user.identity_linked': 'userId' | 'identityId'
  'user.identity_unlinked': 'userId' | 'identityId'
  'user.email_changed': 'userId'
  'user.email_change_undone': 'userId'
  'user.disabled': 'userId'
  'user.enabled': 'userId'
  'user.deleted': 'userId'
  'session.reuse_detected': 'userId' | 'sessionId'
  'tenant.created': 'tenantId'
  'tenant.updated': 'tenantId'
  'tenant.deleted': 'tenantId'
  'tenant.user_added': 'tenantId' | 'userId'
  'tenant.user_removed': 'tenantId' | 'userId'
  'tenant.role_changed': 'tenantId' | 'userId'
  'sso.changed': 'tenantId'
  'sso.domain_proven': 'tenantId' | 'domain'
  'sso.domain_lost': 'tenantId' | 'domain'
  'sso.entry_ended': 'tenantId' | 'userId'
  'invitation.created': 'tenantId' | 'invitationId'
  'invitation.accepted': 'tenantId' | 'invitationId' | 'userId'
  'invitation.revoked': 'tenantId' | 'invitationId'
}

interface EventOf<Type extends keyof EventIds> {
  /** The header `webhook-id`. A repeated delivery has the same, so process each one once. */
  id: string
  type: Type
  /** When the change was made (RFC 3339). */
  timestamp: string
  /** `apiKey` is that of the request that has made the change. `userId` of `tenant.created` is the first user, if it has one. */
  data: { databaseId: string; apiKey?: string } & Record<EventIds[Type], string> &
    (Type extends 'tenant.created' ? { userId?: string } : unknown)
}

/** An event of a database. `type` tells which ids `data` has. A newer server may send further types: ignore them. */
export type WebhookEvent = { [Type in keyof EventIds]: EventOf<Type> }[keyof EventIds]

/** A request to verify. */
export interface WebhookRequest {
  /** The secret that signs the requests, `whsec_…`. Several while it is replaced. */
  secret: string | readonly string[]
  /** The headers of the request: `Headers`, or an object with lower-case names, as of Node. */
  headers: { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>
  /** The body as received. What was parsed and written again may have another signature. */
  body: string | Uint8Array | ArrayBuffer
  /** By how many seconds the time of the request may differ from that of the clock. 300 by default. */
  toleranceSeconds?: number | undefined
  /** The clock, in milliseconds since the epoch, for tests. `Date.now` by default. */
  now?: (() => number) | undefined
}

const messages = {
  webhook_invalid: 'The webhook was not signed with the secret',
  webhook_expired: 'The webhook was signed too long ago, or a clock is wrong',
}

/** Why a webhook was not accepted. `cause` says more, for logs only. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  /** HTTP status of the response. The server sends the event again later. */
  readonly status = 401

  constructor(
    readonly code: keyof typeof messages,
    cause?: unknown,
  ) {
    super(messages[code], { cause })
  }
}

/** Either `data` or `error` is set, the other one is undefined. */
export type WebhookResult =
  | { data: WebhookEvent; error: undefined }
  | { data: undefined; error: WebhookError }

/**
 * Verifies a request by Standard Webhooks (https://www.standardwebhooks.com), and returns its event.
 *
 * @throws {TypeError} that names an option if it is invalid. No request causes that
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookResult> {
  const { secret, headers, body, toleranceSeconds = 300, now = Date.now } = request
  if (!(toleranceSeconds >= 0)) throw new TypeError('verifyWebhook: toleranceSeconds must be a number from 0')
  const keys = [secret].flat().map(keyOf)
  if (keys.length === 0) throw new TypeError('verifyWebhook: secret must have an item')
  try {
    const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      headerOf(headers, name),
    )
    if (!id || !/^\d{1,15}$/.test(timestamp ?? '') || !given) throw new Error('A webhook header is missing')
    const bytes = bytesOf(body)
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
    const signatures = given.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []))
    const expected = await Promise.all(keys.map((key) => sign(key, signed)))
    // Compares all, so that the time does not reveal which one is equal.
    const equal = expected.filter((each) => signatures.filter((other) => isEqual(each, other)).length > 0)
    if (equal.length === 0) throw new Error('No signature is that of the secret and the body')
    if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
      return { data: undefined, error: new WebhookError('webhook_expired') }
    const { type, timestamp: at, data } = JSON.parse(new TextDecoder().decode(bytes))
    return { data: { id, type, timestamp: at, data }, error: undefined }
  } catch (cause) {
    return { data: undefined, error: new WebhookError('webhook_invalid', cause) }
  }
}

function headerOf(headers: WebhookRequest['headers'], name: string) {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/** @throws {Error} if the framework has parsed the body, or has read none */
function bytesOf(body: unknown) {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body
  throw new Error('body must be the text or the bytes that were received')
}

function joined(one: Uint8Array, other: Uint8Array) {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

/** Returns the key of a secret. @throws {TypeError} if it is not one, because an empty key would accept forged requests */
function keyOf(secret: unknown) {
  const [, base64 = ''] =
    (typeof secret === 'string' && /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(secret.trim())) || []
  if (!base64) throw new TypeError('verifyWebhook: secret must be whsec_ and base64')
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}

/** Returns the base64 of HMAC-SHA-256. */
async function sign(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>) {
  const { subtle } = globalThis.crypto
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return btoa(String.fromCharCode(...new Uint8Array(await subtle.sign('HMAC', imported, signed))))
}

/** Compares texts in a time that depends on the length only. */
function isEqual(one: string, other: string) {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index++)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
