// biome-ignore-all lint/style/noExcessiveLinesPerFile: nearly all of it is one table of data.
import { z } from 'zod'
import { FieldError } from './field-errors.js'
import { component, field } from './registry.js'
import { SecondStep } from './second-step.js'

/**
 * The catalogue of problems: code → HTTP status, title, advice, response headers and exit code. No other file states them. Errors of
 * the process and the store, which no rule throws, are those of the command line.
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
  sign_up_refused: {
    status: 403,
    title: 'Sign-up is refused',
    advice: 'The app does not let this person sign up. Show `reason` as text, if there is one.',
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
  not_member: {
    status: 403,
    title: 'Not a member of the tenant',
    advice:
      'An owner of the tenant must invite the person. Members log in with a way of their own, and then link the person with `addTenantProof`.',
  },
  membership_ended: {
    status: 403,
    title: 'Membership has ended',
    advice: 'An owner of the tenant must invite the person again.',
  },
  second_factor_missing: {
    status: 403,
    title: 'Second factor is missing',
    advice:
      'The tenant needs a second factor. Let the user log in with a way of the account and add one, or let the provider ask for one.',
  },
  own_login_required: {
    status: 403,
    title: 'Own login is required',
    advice:
      'Single sign-on of a tenant opens only that tenant. Let the user log in with a way of the account, such as its password.',
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
  domain_not_found: {
    status: 404,
    title: 'Domain not found',
    advice: 'Add the domain to the tenant first.',
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
  key_invalid: {
    status: 401,
    title: 'API key is invalid',
    advice:
      'Send an API key of this database as a Bearer token. The key is missing, mistyped, expired or revoked, or belongs to another database.',
    headers: ['WWW-Authenticate'],
  },
  insufficient_scope: {
    status: 403,
    title: 'API key lacks a scope',
    advice: 'Use a key with the scope that `detail` names.',
    headers: ['WWW-Authenticate'],
  },
  user_not_found: { status: 404, title: 'User not found', advice: 'Check the id of the user.' },
  external_id_taken: {
    status: 409,
    title: 'External id is already in use',
    advice: 'Use another external id. No two users of a database can have the same one, and no two tenants.',
  },
  events_not_kept: {
    status: 409,
    title: 'Events are not kept',
    advice: 'Ask the operator to set `--events-kept` of the database to a number of days.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor has expired',
    advice:
      'The next items were deleted, or the store was restored from a backup. Read all data that your copy depends on again, and send the request without `after` to start with the oldest item.',
  },
  precondition_failed: {
    status: 412,
    title: 'Resource has changed',
    advice: 'Read it again, and repeat the change with the new ETag.',
  },
  workspace_not_found: {
    status: 404,
    title: 'Workspace not found',
    advice: 'Check the slug of the workspace. It is case-sensitive.',
    command: 'Create it with: npx @usher/server workspace create NAME',
  },
  message_not_found: {
    status: 404,
    title: 'Message not found',
    advice: 'List the messages again. It may have been delivered or deleted meanwhile.',
  },
  api_key_not_found: { status: 404, title: 'API key not found', advice: 'Check the id of the API key.' },
  key_not_found: {
    status: 404,
    title: 'Signing key not found',
    advice: 'Check the `kid` of the signing key.',
  },
  workspace_exists: { status: 409, title: 'Workspace already exists', advice: 'Choose another slug.' },
  database_exists: { status: 409, title: 'Database already exists', advice: 'Choose another name.' },
  connection_exists: {
    status: 409,
    title: 'Connection already exists',
    advice: 'Change the existing connection, or choose another name.',
  },
  role_in_use: {
    status: 409,
    title: 'Role is in use',
    advice: 'First give another role to the members and invitations that have it.',
  },
  passkeys_in_use: {
    status: 409,
    title: 'Passkeys would stop working',
    advice: 'Keep the domain of the passkeys. `detail` names it.',
    command: 'To change it anyway, add --force',
  },
  sso_untested: {
    status: 409,
    title: 'Single sign-on is not tested',
    advice: 'Log in with a connection of the tenant, and require it within 10 minutes.',
    exit: 1,
  },
  connection_needed: {
    status: 409,
    title: 'Single sign-on needs this connection',
    advice: 'Add another connection first, or stop requiring single sign-on.',
    exit: 1,
  },
  no_exempt_owner: {
    status: 409,
    title: 'An owner without single sign-on is missing',
    advice:
      'Name one or two owners with a second factor in `exempt`, so that the tenant can be opened while its provider fails.',
    exit: 1,
  },
  issuer_shared: {
    status: 409,
    title: 'Issuer has many customers',
    advice:
      'Send `hd` for Google Workspace, and the issuer of one directory, or `tid`, for Entra. Other providers that anyone can sign up with are not accepted.',
    exit: 1,
  },
  domain_taken: {
    status: 409,
    title: 'Domain belongs to another tenant',
    advice:
      'Remove the record of the other tenant from DNS, and check again after 24 hours. Or ask the operator to move the domain.',
    exit: 1,
  },
  domain_unproven: {
    status: 409,
    title: 'Domain is not proven',
    advice:
      'Add the record to DNS, wait until it is published, and check again. `detail` says what was found.',
    exit: 1,
  },
  sso_full: {
    status: 409,
    title: 'Tenant has too many connections or domains',
    advice: 'Remove one first. A tenant has at most 5 connections and 20 domains.',
    exit: 1,
  },
  connection_invalid: {
    status: 409,
    title: 'Connection cannot be used',
    advice: 'Correct what `detail` says, in the connection or at the provider.',
    exit: 1,
  },
  workspace_not_empty: {
    status: 409,
    title: 'Workspace has databases',
    advice: 'Delete its databases first.',
    command: 'Delete them first with: npx @usher/server database delete NAME/DATABASE',
    exit: 1,
  },
  account_operations_off: {
    status: 409,
    title: 'Account operations are off',
    advice: 'Ask the operator to turn on the account operations of the database.',
    command: 'Turn them on with: npx @usher/server database set NAME --account-operations on',
    exit: 1,
  },
  tenant_operations_off: {
    status: 409,
    title: 'Tenant operations are off',
    advice: 'Ask the operator to turn on the tenant operations of the database.',
    command: 'Turn them on with: npx @usher/server database set NAME --tenant-operations on',
    exit: 1,
  },
  app_url_missing: {
    status: 409,
    title: 'Database has no app URL',
    advice: 'Ask the operator to set the app URL of the database.',
    command: 'Set it with: npx @usher/server database set NAME --app-url URL',
    exit: 1,
  },
  hook_missing: {
    status: 409,
    title: 'Database has no sign-up hook',
    advice: 'Set its URL first.',
    command: 'Set it with --sign-up-hook-url',
    exit: 1,
  },
  webhook_missing: {
    status: 409,
    title: 'Database has no webhook',
    advice: 'Set the URL of the webhook, too.',
    command: 'Also set --webhook-url',
    exit: 1,
  },
  operators_database: {
    status: 409,
    title: 'Database is that of the operators',
    advice: 'Use the operations that change operators.',
    exit: 1,
  },
  owner_needed: {
    status: 409,
    title: 'Installation needs an owner',
    advice: 'First make another operator owner of the installation.',
    exit: 1,
  },
  user_disabled: { status: 409, title: 'User is disabled', advice: 'Enable the user first.', exit: 1 },
  already_verified: {
    status: 409,
    title: 'Email address is already verified',
    advice: 'The user needs no code to verify it.',
    exit: 1,
  },
  key_pending: {
    status: 409,
    title: 'Next signing key is pending',
    advice:
      'Wait until the pending key signs. If the key that signs was stolen, let the pending one sign immediately: rotate with `activateInSeconds` 0.',
    command: 'Run: npx @usher/server keys rotate NAME --activate-in 0',
    exit: 1,
  },
  key_needed: {
    status: 409,
    title: 'No other key can sign',
    advice: 'First rotate, and let the next key sign immediately.',
    command: 'Run: npx @usher/server keys rotate NAME --activate-in 0',
    exit: 1,
  },
  too_many_api_keys: {
    status: 409,
    title: 'Database has too many API keys',
    advice: 'Revoke one first.',
    command: 'Revoke one with: npx @usher/server api-key revoke NAME KEY',
    exit: 1,
  },
  too_many_connections: {
    status: 409,
    title: 'Database has too many connections',
    advice: 'Remove one first.',
    command: 'Remove one with: npx @usher/server connection remove NAME CONNECTION',
    exit: 1,
  },
  api_key_replaced: {
    status: 409,
    title: 'API key has a successor',
    advice: 'Replace the successor, or create another key.',
    exit: 1,
  },

  // Errors of commands, which no operation has.
  usage_error: { only: 'command', title: 'Usage error', exit: 2 },
  invitation_not_found: { only: 'command', title: 'Invitation not found', exit: 3 },
  file_exists: { only: 'command', title: 'File already exists', exit: 4 },
  database_being_deleted: {
    only: 'command',
    title: 'Database is being deleted',
    command: 'To finish: npx @usher/server database delete NAME',
    exit: 1,
  },
  rewrap_unfinished: { only: 'command', title: 'Earlier re-encryption of keys is unfinished', exit: 1 },
  lines_rejected: { only: 'command', title: 'Lines of the import were rejected', exit: 1 },
  cancelled: { only: 'command', title: 'Cancelled', exit: 1 },
  master_key_wrong: { only: 'command', title: 'Wrong master key', exit: 1 },
  keys_unreadable: { only: 'command', title: 'Keys or secrets cannot be read', exit: 1 },
  server_version: { only: 'command', title: 'Server has another version', exit: 1 },
  server_stopped: { only: 'command', title: 'Server stopped', exit: 5 },
  server_unreachable: { only: 'command', title: 'Server cannot be reached', exit: 5 },
  console_missing: { only: 'command', title: 'Server has no console', exit: 3 },
  login_missing: { only: 'command', title: 'Not logged in to the server', exit: 1 },
  sessions_unusable: { only: 'command', title: 'File of sessions cannot be used', exit: 1 },
  server_untrusted: { only: 'command', title: 'Server cannot be trusted', exit: 1 },
  host_only: { only: 'command', title: 'Command is for the machine of the server', exit: 1 },
  port_in_use: { only: 'command', title: 'Port is in use', exit: 1 },
} as const satisfies Record<string, CatalogueEntry | CommandError>

/** A response header that belongs to a problem. */
export type ProblemHeader = 'Accept-Encoding' | 'Retry-After' | 'WWW-Authenticate'

/** What a command does about a problem. */
interface OnTheCommandLine {
  title: string
  /** Advice with what to type. `NAME` is the name of the workspace or database. */
  command?: string
  /** Exit code of a command. By default it follows from the status. */
  exit?: number
}

/** A problem of operations. */
interface CatalogueEntry extends OnTheCommandLine {
  status: number
  /** What the client should do. */
  advice: string
  headers?: readonly ProblemHeader[]
}

/** An error that only commands have. */
interface CommandError extends OnTheCommandLine {
  only: 'command'
  exit: number
}

/** Code of any problem, also of one that only commands have. */
export type ErrorCode = keyof typeof problems

/** Stable code of a problem. */
export type ProblemCode = {
  [Code in ErrorCode]: (typeof problems)[Code] extends CommandError ? never : Code
}[ErrorCode]

export const isProblemCode = (code: string): code is ProblemCode =>
  Object.hasOwn(problems, code) && 'status' in problems[code as ErrorCode]

/** Returns the headers of every response with a problem. */
export const problemHeaders = (code: ProblemCode): readonly ProblemHeader[] => {
  const entry: CatalogueEntry = problems[code]
  return entry.headers ?? []
}

/** Exit codes of commands by HTTP status. Any other status is 1. */
const exitCodes: Readonly<Record<number, number>> = { 400: 2, 404: 3, 409: 4, 503: 5 }

/** Returns the exit code of a command that fails with a problem. */
export function exitCodeOf(code: ErrorCode): number {
  const entry: CatalogueEntry | CommandError = problems[code]
  return entry.exit ?? ('status' in entry ? (exitCodes[entry.status] ?? 1) : 1)
}

export const ProblemCode = component(
  {
    id: 'ProblemCode',
    description: 'Stable, machine-readable code of the problem. Treat an unknown code by its status.',
    examples: ['email_taken'],
    isOpen: true,
  },
  z.enum(Object.keys(problems).filter(isProblemCode) as [ProblemCode, ...ProblemCode[]]),
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
    reason: field(
      'Why, for the person who signs up: a text of the app, never HTML. Present if `code` is `sign_up_refused` and the app gives one.',
      z.string().optional(),
    ),
    secondFactor: field(
      'What the second step needs. Present if `code` is `second_factor_required` or `enrolment_required`.',
      SecondStep.optional(),
    ),
  }),
)
export type ProblemBody = z.infer<typeof ProblemBody>
