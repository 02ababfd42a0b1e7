import type { UsherError } from '@usher/sdk'

/** Shows an error beside the fields that it is about, or above them all; focus goes to the first of them. */
export function showErrors(form: HTMLFormElement, error: UsherError) {
  for (const { path, detail } of errorsOf(error)) {
    const field = form.querySelector(`input[name="${path}"]`)
    const place = field?.nextElementSibling ?? form.querySelector('[role=alert]')
    field?.setAttribute('aria-invalid', 'true')
    place?.append(place.textContent ? `; ${detail}` : detail)
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

/** Takes back what `showErrors` has shown. */
export function clearErrors(form: HTMLFormElement) {
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
  for (const place of form.querySelectorAll('.fault')) place.replaceChildren()
}

/** What to say of an error: by field, or without a path where it is about none. */
function errorsOf(error: UsherError): readonly { path?: string; detail: string }[] {
  switch (error.code) {
    case 'validation_failed':
      return error.errors
    case 'email_taken':
      return [{ path: 'email', detail: error.title }]
    case 'invalid_credentials':
      return [{ path: 'password', detail: error.title }]
    case 'token_expired':
    case 'token_invalid':
    case 'token_missing':
      return [{ detail: 'Your session has ended. Log in again.' }]
    case 'too_many_attempts':
      return [{ detail: `Too many logins failed. Try again in ${error.retryAfterSeconds} s.` }]
    case 'no_answer':
    case 'unavailable':
      return [{ detail: 'The server does not answer. Try again in a moment.' }]
    default:
      return [{ detail: error.title }]
  }
}
