import type { UsherError } from '@usher/sdk'

/** Shows an error below the fields that it concerns, or above the form. Moves the focus to the first of the fields. */
export function showErrors(form: HTMLFormElement, error: UsherError<string>) {
  for (const { path, detail } of messagesOf(form, error)) {
    const field = form.querySelector(`input[name="${path}"]`)
    const target = field?.nextElementSibling ?? form.querySelector('[role=alert]')
    field?.setAttribute('aria-invalid', 'true')
    target?.append(target.textContent ? `; ${detail}` : detail)
  }
  const isExpired = ['code_invalid', 'email_not_verified', 'started_elsewhere'].includes(error.code)
  form.classList.toggle(
    'expired',
    (isExpired || form.id === 'login') && form.querySelector('.renew') !== null,
  )
  form.querySelector<HTMLElement>('[aria-invalid], .expired .renew')?.focus()
}

/** Shows in a form that an action was successful. */
export function showSuccess(form: HTMLFormElement, text = '') {
  form.querySelector('[role=status]')?.append(text)
}

/** Removes what `showErrors` and `showSuccess` added. */
export function clearMessages(form: HTMLFormElement) {
  form.classList.remove('expired')
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
  for (const target of form.querySelectorAll('.error, [role=status]')) target.replaceChildren()
}

/** Returns the messages of an error. A message without `path` does not concern a field. */
function messagesOf(
  form: HTMLFormElement,
  error: UsherError<string>,
): readonly { path?: string; detail: string }[] {
  switch (error.code) {
    case 'validation_failed':
      return error.errors.map((each) =>
        each.code === 'password_wrong' ? { ...each, detail: 'Wrong password' } : each,
      )
    case 'email_taken':
      return ['email' in form.elements ? { path: 'email', detail: error.title } : { detail: error.title }]
    case 'invalid_credentials':
      return [{ path: 'password', detail: error.title }]
    case 'already_member':
      return [{ path: 'email', detail: 'This address belongs to a member of the team.' }]
    case 'passkey_cancelled':
    case 'passkey_exists':
    case 'passkeys_unsupported':
      return [{ detail: error.detail }]
    case 'second_factor_invalid':
      return [{ path: 'totp', detail: 'Wrong code' }]
    case 'second_factor_required':
    case 'step_up_required':
      return [{ detail: 'This needs your second factor.' }]
    case 'challenge_invalid':
      return [{ detail: 'This has taken too long. Start again.' }]
    case 'invitation_for_other_address':
      return [{ path: 'email', detail: 'The invitation is for another address.' }]
    case 'email_not_verified':
      return [{ detail: 'Verify your address first. Then try again.' }]
    case 'role_insufficient':
      return [{ detail: `Your role in the team does not allow this. ${error.detail}` }]
    case 'last_owner':
      return [{ detail: 'A team needs an owner. Make another member owner first.' }]
    case 'seats_full':
      return [{ detail: 'The team has no free seat. Ask the person who invited you.' }]
    case 'invitations_full':
      return [{ detail: 'The team has too many pending invitations. Revoke one first.' }]
    case 'tenants_full':
      return [{ detail: 'You cannot create more teams.' }]
    case 'tenant_not_found':
      return [{ detail: 'You are not a member of this team.' }]
    case 'member_not_found':
      return [{ detail: 'This user is no longer a member of the team.' }]
    case 'code_invalid':
      return 'digits' in form.elements
        ? [{ path: 'digits', detail: 'Wrong or expired digits' }]
        : [{ detail: 'This link is no longer valid.' }]
    case 'started_elsewhere':
      return [{ detail: error.detail }]
    case 'recent_login_required':
      return [{ detail: 'Log out, log in by mail, and try again within 10 minutes.' }]
    case 'token_expired':
    case 'token_invalid':
    case 'token_missing':
      return [{ detail: 'Your session has expired. Log in again.' }]
    case 'too_many_invitations':
      return [{ detail: `Too many invitations. Try again in ${error.retryAfterSeconds} s.` }]
    case 'too_many_mails':
      return [{ detail: `A mail was sent before. You can request another in ${error.retryAfterSeconds} s.` }]
    case 'too_many_sign_ups':
      return [{ detail: `Too many sign-ups. Try again in ${error.retryAfterSeconds} s.` }]
    case 'too_many_attempts':
      return [{ detail: `Too many failed login attempts. Try again in ${error.retryAfterSeconds} s.` }]
    case 'no_answer':
    case 'unavailable':
      return [{ detail: 'The service is temporarily unavailable. Try again later.' }]
    default:
      return [{ detail: error.title }]
  }
}
