import type { UsherError } from '../errors.js'
import type { FinishExternalErrorCode, PopupErrorCode } from '../external.js'
import type { ErrorCode, FieldErrorCode } from '../schemas.js'
import type { TextKey } from './texts/en.js'
import { type Field, type Line, line, type Values } from './view.js'

type AnyCode =
  | ErrorCode
  | FinishExternalErrorCode
  | PopupErrorCode
  | 'passkey_cancelled'
  | 'passkey_exists'
  | 'passkeys_unsupported'

/** The text of each code. A new code of the contract does not compile until it has one. */
const keys: Record<AnyCode, TextKey> = {
  access_denied: 'cancelled',
  account_exists: 'accountExists',
  account_missing: 'closed',
  already_linked: 'full',
  already_member: 'alreadyMember',
  challenge_invalid: 'expired',
  code_invalid: 'codeWrong',
  connection_invalid: 'providerFailed',
  connection_needed: 'lastWay',
  connection_not_found: 'providerFailed',
  database_not_found: 'unavailable',
  domain_not_found: 'gone',
  domain_taken: 'unavailable',
  domain_unproven: 'unavailable',
  email_not_proven: 'notVerified',
  email_not_verified: 'notVerified',
  email_recently_changed: 'emailChanged',
  email_taken: 'emailTaken',
  enrolment_required: 'enrolHint',
  factor_needed: 'factorNeeded',
  factor_not_found: 'gone',
  factors_full: 'full',
  finished_elsewhere: 'loggedInHint',
  headers_too_large: 'unavailable',
  idempotency_key_reused: 'unavailable',
  identity_not_found: 'gone',
  identity_taken: 'identityTaken',
  internal_error: 'unavailable',
  invalid_credentials: 'credentialsWrong',
  invitation_for_other_address: 'otherAddress',
  invitations_full: 'full',
  issuer_shared: 'invalid',
  last_login_method: 'lastWay',
  last_owner: 'ownerNeeded',
  login_refused: 'disabled',
  malformed_json: 'unavailable',
  malformed_request: 'unavailable',
  member_not_found: 'gone',
  membership_ended: 'membershipEnded',
  no_answer: 'noAnswer',
  no_exempt_owner: 'factorNeeded',
  not_member: 'notInvited',
  own_login_required: 'ownLogin',
  passkey_cancelled: 'passkeyCancelled',
  passkey_exists: 'passkeyExists',
  passkey_invalid: 'passkeyFailed',
  passkey_unknown: 'passkeyUnknown',
  passkeys_unsupported: 'passkeysUnsupported',
  payload_too_large: 'invalid',
  popup_blocked: 'popupBlocked',
  provider_invalid: 'providerFailed',
  provider_unavailable: 'providerFailed',
  recent_login_required: 'recentLogin',
  request_timeout: 'noAnswer',
  role_insufficient: 'roleMissing',
  route_not_found: 'unavailable',
  seats_full: 'seatsFull',
  second_factor_invalid: 'codeWrong',
  second_factor_missing: 'factorMissing',
  second_factor_required: 'stepUp',
  session_ended: 'sessionEnded',
  session_not_opened: 'sessionEnded',
  session_required: 'sessionEnded',
  sign_up_closed: 'closed',
  sign_up_refused: 'refused',
  sso_full: 'full',
  sso_untested: 'stepUp',
  started_elsewhere: 'elsewhere',
  step_up_required: 'stepUp',
  tenant_not_found: 'gone',
  tenants_full: 'full',
  token_expired: 'sessionEnded',
  token_invalid: 'sessionEnded',
  token_missing: 'sessionEnded',
  too_many_attempts: 'waitSeconds',
  too_many_changes: 'waitSeconds',
  too_many_invitations: 'waitSeconds',
  too_many_mails: 'waitSeconds',
  too_many_sign_ups: 'waitSeconds',
  unavailable: 'unavailable',
  unsupported_media_type: 'unavailable',
  validation_failed: 'invalid',
}

const fieldKeys: Record<FieldErrorCode, TextKey> = {
  blank: 'required',
  email_invalid: 'emailInvalid',
  invalid_character: 'invalid',
  invalid_type: 'invalid',
  password_is_email: 'passwordIsEmail',
  password_too_common: 'passwordCommon',
  password_wrong: 'passwordWrong',
  required: 'required',
  too_long: 'tooLong',
  too_short: 'tooShort',
}

/** Returns the text of an error. One that a later version has added is as one of the service. */
export function messageOf({
  code,
  retryAfterSeconds,
  reason = '',
}: Pick<UsherError<string>, 'code' | 'retryAfterSeconds' | 'reason'>): Line {
  const key = Object.hasOwn(keys, code) ? keys[code as AnyCode] : 'unavailable'
  if (key === 'refused') return line(key, { reason })
  if (key !== 'waitSeconds') return line(key)
  const seconds = retryAfterSeconds ?? 60
  return seconds <= 90
    ? line('waitSeconds', { count: seconds })
    : line('waitMinutes', { count: Math.ceil(seconds / 60) })
}

/** The field to which an error of the whole request belongs, if the form has it. */
const fieldOf: Record<string, readonly string[]> = {
  code_invalid: ['digits'],
  email_taken: ['email'],
  invalid_credentials: ['password'],
  second_factor_invalid: ['totp', 'recoveryCode'],
}

/**
 * Returns the errors of the fields of a form, and that of the whole form.
 *
 * @param values what the form has sent. An empty field only needs a value, whatever the server says of it
 */
export function messagesOf(error: UsherError<string>, fields: readonly Field[], values: Values = {}) {
  const fieldErrors: Record<string, Line> = {}
  for (const { name } of fields) {
    const found = error.errors.find(({ path }) => path === name)
    const count = found?.code === 'too_short' ? found.min : found?.max
    if (found && values[name] === '') fieldErrors[name] = line('required')
    else if (found)
      fieldErrors[name] = line(
        fieldKeys[found.code] ?? 'invalid',
        count === undefined ? undefined : { count },
      )
    else if (fieldOf[error.code]?.includes(name))
      fieldErrors[name] = name === 'digits' ? line('codeWrong') : messageOf(error)
  }
  const isShown = Object.keys(fieldErrors).length > 0
  return { fieldErrors, error: isShown ? undefined : messageOf(error) }
}
