// biome-ignore-all lint/style/noExcessiveLinesPerFile: nearly all of it is one table of data.
import { z } from 'zod'
import { FieldError } from './field-errors.js'
import { component, field } from './registry.js'
import { SecondStep } from './second-step.js'

/**
 * The catalogue of problems: code → HTTP status, title, advice and response headers. No other file states the status
 * or the title of a problem.
 */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'Malformed HTTP request',
    advice: 'Send the request with an HTTP client library.',
  },
  malformed_json: {
    status: 400,
    title: 'Request body is not valid JSON',
    advice: 'Send one JSON document, encoded as UTF-8.',
  },
  validation_failed: {
    status: 400,
    title: 'Request validation failed',
    advice: 'Fix each field listed in `errors` and send the request again.',
  },
  code_invalid: {
    status: 400,
    title: 'Code is invalid',
    advice: 'The code is unknown, used, revoked or expired, or belongs to another user. Request a new one.',
  },
  challenge_invalid: {
    status: 400,
    title: 'Challenge is invalid',
    advice: 'The challenge is unknown or expired, or the account has changed. Start again.',
  },
  second_factor_required: {
    status: 401,
    title: 'Second factor is required',
    advice:
      'Ask the user for a proof of `secondFactor.methods`. Send it with `secondFactor.challenge` to `verifySecondFactor`. If that is null, send the same request again with the proof as `secondFactor`.',
    headers: ['WWW-Authenticate'],
  },
  enrolment_required: {
    status: 401,
    title: 'The account needs a second factor',
    advice:
      'Let the user add one: send `secondFactor.challenge` to `enrolTotp`, and then the first code to `addTotp`, which logs in.',
    headers: ['WWW-Authenticate'],
  },
  second_factor_invalid: {
    status: 401,
    title: 'Second factor is wrong',
    advice:
      'Ask the user for the current code. Each code and each use of a passkey is accepted once, and the clock of the phone must be right.',
    headers: ['WWW-Authenticate'],
  },
  passkey_invalid: {
    status: 401,
    title: 'Passkey is not accepted',
    advice:
      'Begin again. The passkey must be one of the domain of the app, must verify its user, and answers a challenge once. `detail` says which check has failed.',
    headers: ['WWW-Authenticate'],
  },
  passkey_unknown: {
    status: 401,
    title: 'Passkey belongs to no account',
    advice:
      'Ask the user to log in another way. Tell the authenticator with `PublicKeyCredential.signalUnknownCredential`, so that it no longer offers the passkey.',
    headers: ['WWW-Authenticate'],
  },
  step_up_required: {
    status: 401,
    title: 'Confirmation is required',
    advice: 'Call `stepUp`, and send its `confirmation.value` as `confirmation`.',
    headers: ['WWW-Authenticate'],
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid email or password',
    advice:
      'Ask the user for both again. The response does not reveal which one is wrong or whether the account exists.',
    headers: ['WWW-Authenticate'],
  },
  token_missing: {
    status: 401,
    title: 'Access token is missing',
    advice: 'Log in, and send `token.jwt` from the response as a Bearer token in the `Authorization` header.',
    headers: ['WWW-Authenticate'],
  },
  token_invalid: {
    status: 401,
    title: 'Access token is invalid',
    advice:
      'Log in again. The token was altered, revoked or issued by another database, its session has ended, or its user was disabled or deleted.',
    headers: ['WWW-Authenticate'],
  },
  token_expired: {
    status: 401,
    title: 'Access token has expired',
    advice: 'Log in again. A token is valid for `maxAge` seconds.',
    headers: ['WWW-Authenticate'],
  },
  session_ended: {
    status: 401,
    title: 'Session has ended',
    advice:
      'Log in again. The refresh token is unknown, was used and so was its successor, or its session was ended or has expired.',
    headers: ['WWW-Authenticate'],
  },
  database_not_found: {
    status: 404,
    title: 'Database not found',
    advice: 'Check the workspace slug and the database name in the path. Both are case-sensitive.',
  },
  connection_not_found: {
    status: 404,
    title: 'Connection not found',
    advice: 'Use a `name` that `listConnections` returns.',
  },
  identity_not_found: {
    status: 404,
    title: 'Identity not found',
    advice: 'Check the id of the identity. Users find only their own.',
  },
  factor_not_found: {
    status: 404,
    title: 'Second factor not found',
    advice: 'Check the id of the factor. Users find only their own.',
  },
  route_not_found: {
    status: 404,
    title: 'Route not found',
    advice: 'Check the path against the API reference.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timed out',
    advice: 'The server did not receive the whole request in time. Send the request again.',
  },
  sign_up_closed: {
    status: 403,
    title: 'Sign-up is closed',
    advice: 'Ask the operator of the app for an account.',
  },
  login_refused: {
    status: 403,
    title: 'Account is disabled',
    advice: 'Ask the operator of the app.',
  },
  recent_login_required: {
    status: 403,
    title: 'Recent login is required',
    advice:
      'A user without a password confirms a change by a login. Log in again, and send the request within 10 minutes.',
  },
  role_insufficient: {
    status: 403,
    title: 'Role is not sufficient',
    advice: 'Ask a member with the role that `detail` names.',
  },
  tenant_not_found: {
    status: 404,
    title: 'Tenant not found',
    advice: 'Check the id of the tenant. Users find only the tenants of which they are members.',
  },
  member_not_found: {
    status: 404,
    title: 'User is not a member of the tenant',
    advice: 'Check both ids, or add the user to the tenant.',
  },
  email_taken: {
    status: 409,
    title: 'Email address is already in use',
    advice: 'Log in, or sign up with another email address.',
  },
  account_missing: {
    status: 409,
    title: 'No account has the email address',
    advice: 'Ask the user whether to sign up. Then send the request again without `mayCreate`.',
  },
  account_exists: {
    status: 409,
    title: 'An account has the email address',
    advice: 'Log in with the way that the account has, and then link the identity.',
  },
  email_not_proven: {
    status: 409,
    title: 'Email address is not proven',
    advice:
      'Request a mail with `requestLoginCode`, and send the request again with its `login` and its digits as `mail`.',
  },
  identity_taken: {
    status: 409,
    title: 'Identity belongs to another user',
    advice: 'Log in with the identity, or use another one.',
  },
  already_linked: {
    status: 409,
    title: 'User has an identity of the connection',
    advice: 'Remove that identity first. A user can have one of each connection.',
  },
  last_login_method: {
    status: 409,
    title: 'User would have no way to log in',
    advice: 'Set a password, link another identity or add a passkey first.',
  },
  factors_full: {
    status: 409,
    title: 'User has too many second factors of this kind',
    advice: 'Remove one first. A user can have two authenticator apps and ten passkeys.',
  },
  factor_needed: {
    status: 409,
    title: 'A second factor is needed',
    advice:
      'Add a factor first. If the app requires a second factor, the last one cannot be removed or turned off.',
  },
  email_recently_changed: {
    status: 409,
    title: 'Email address was changed recently',
    advice:
      'Undo the change with the code in the mail to the former address, or delete the account after the time in `detail`. The operator can delete it earlier.',
  },
  last_owner: {
    status: 409,
    title: 'Tenant needs an owner',
    advice:
      'Make another member owner first. The only member can invite an owner, or delete the tenant. `tenants` lists the tenants.',
  },
  tenants_full: {
    status: 409,
    title: 'User has created too many tenants',
    advice: 'Delete a tenant that the user has created. A user can have 100 of them.',
  },
  already_member: {
    status: 409,
    title: 'Address belongs to a member of the tenant',
    advice: 'Change the role of the member instead.',
  },
  invitations_full: {
    status: 409,
    title: 'Tenant has too many pending invitations',
    advice: 'Revoke an invitation, or wait until one is accepted or expires.',
  },
  invitation_for_other_address: {
    status: 409,
    title: 'Invitation is for another email address',
    advice: 'Use the account with the address to which the invitation was sent.',
  },
  email_not_verified: {
    status: 409,
    title: 'Email address is not verified',
    advice:
      'The user must verify the address, or choose a new password with a code. Then send the request again.',
  },
  seats_full: {
    status: 409,
    title: 'Tenant has no free seat',
    advice: 'Remove a member, or ask the operator to raise the number of seats.',
  },
  session_not_opened: {
    status: 409,
    title: 'No session can be opened with this token',
    advice: 'Log in again, and open the session within 120 seconds. Each login can open one session.',
  },
  session_required: {
    status: 409,
    title: 'Token belongs to no session',
    advice: 'Open a session after the next login, or end all sessions.',
  },
  payload_too_large: {
    status: 413,
    title: 'Request body is too large',
    advice: 'Send at most 16 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Send JSON with `Content-Type: application/json` and without `Content-Encoding`.',
    headers: ['Accept-Encoding'],
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key was already used for a different request',
    advice: 'Generate a new key for each request. Reuse a key only to retry the same request.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many failed attempts',
    advice: 'Wait for the number of seconds in `Retry-After` before the next attempt.',
    headers: ['Retry-After'],
  },
  too_many_invitations: {
    status: 429,
    title: 'Too many invitations',
    advice: 'Wait for the number of seconds in `Retry-After` before the next invitation.',
    headers: ['Retry-After'],
  },
  too_many_sign_ups: {
    status: 429,
    title: 'Too many sign-ups',
    advice: 'Wait for the number of seconds in `Retry-After` before the next sign-up.',
    headers: ['Retry-After'],
  },
  too_many_mails: {
    status: 429,
    title: 'Too many mails',
    advice:
      'No mail was sent now. Use the mail that was sent before, or request another one after the number of seconds in `Retry-After`.',
    headers: ['Retry-After'],
  },
  too_many_changes: {
    status: 429,
    title: 'Too many tenant changes',
    advice: 'Wait for the number of seconds in `Retry-After` before the next change.',
    headers: ['Retry-After'],
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers are too large',
    advice: 'Send less than 16 KiB of headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    advice: 'Report the `requestId` to the operator of the service.',
  },
  provider_unavailable: {
    status: 503,
    title: 'Identity provider is unavailable',
    advice:
      'Wait for the number of seconds in `Retry-After`, then send the request again, or log in another way.',
    headers: ['Retry-After'],
  },
  unavailable: {
    status: 503,
    title: 'Service temporarily unavailable',
    advice: 'Wait for the number of seconds in `Retry-After`, then send the request again.',
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, CatalogueEntry>

/** A response header that belongs to a problem. */
export type ProblemHeader = 'Accept-Encoding' | 'Retry-After' | 'WWW-Authenticate'

export interface CatalogueEntry {
  status: number
  title: string
  /** What the client should do. */
  advice: string
  headers?: readonly ProblemHeader[]
}

/** Stable code of a problem. */
export type ProblemCode = keyof typeof problems
export const ProblemCode = component(
  {
    id: 'ProblemCode',
    description: 'Stable, machine-readable code of the problem. Treat an unknown code by its status.',
    examples: ['email_taken'],
    isOpen: true,
  },
  z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
)

/** Returns the schema of the status of a problem. */
export const problemStatus = (description: string) =>
  field(description, z.int().min(400).max(599), { format: 'int32' })

/** What a provider or a mailed code says about a person without an account. */
export const PersonProfile = component(
  { id: 'PersonProfile', description: 'What is known of a person who has no account yet.' },
  z.object({
    email: field('Email address, or null.', z.string().nullable(), { examples: ['ada@example.com'] }),
    preferredName: field('Name at the provider, or null.', z.string().nullable(), { examples: ['Ada'] }),
  }),
)
export type PersonProfile = z.infer<typeof PersonProfile>

/** Body of every error response: RFC 9457 problem details, extended by a stable `code` and the request ID. */
export const ProblemBody = component(
  { id: 'Problem', description: 'Problem details (RFC 9457).' },
  z.object({
    type: field('URL of a page that describes the problem type.', z.url()),
    title: field('Summary of the problem type. Always the same for a `code`.', z.string()),
    status: problemStatus('HTTP status of the response.'),
    detail: field('Human-readable explanation of this occurrence.', z.string()),
    instance: field('Path of the request.', z.string()),
    code: ProblemCode,
    requestId: field(
      'ID of the request, as in the `X-Request-Id` header and in the server’s log.',
      z.string(),
    ),
    errors: field(
      'All field errors. Present if `code` is `validation_failed`.',
      z.array(FieldError).optional(),
    ),
    tenants: field(
      'IDs of the tenants that need another owner. Present if `code` is `last_owner`.',
      z.array(z.uuid()).optional(),
    ),
    profile: field(
      'What is known of the person. Present if `code` is `account_missing` or `email_not_proven`.',
      PersonProfile.optional(),
    ),
    secondFactor: field(
      'What the second step needs. Present if `code` is `second_factor_required` or `enrolment_required`.',
      SecondStep.optional(),
    ),
  }),
)
export type ProblemBody = z.infer<typeof ProblemBody>
