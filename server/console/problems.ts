/** Why an operation has failed. */
export interface Problem {
  code: string
  title: string
  detail: string
  /** ID of the request, as in the log of the server. Undefined if there was no response. */
  requestId?: string | undefined
  errors: readonly { path: string; detail: string }[]
}

/** What an operator can do. Other problems say it in their detail. */
const advice: Record<string, string> = {
  no_answer: 'Check the connection to the server, and try again.',
  role_insufficient: 'Ask an owner for a higher role.',
  precondition_failed: 'Compare both versions.',
  unavailable: 'Wait a moment, and try again.',
  internal_error: 'Search the log of the server for the request ID.',
  user_not_found: 'The user was deleted, or the ID is wrong.',
  tenant_not_found: 'The tenant was deleted, or the ID is wrong.',
  connection_not_found: 'The connection was removed, or the address is wrong.',
  database_not_found: 'The database was deleted, or the address is wrong.',
  idempotency_key_reused: 'Try again.',
  email_taken: 'Find the user with that address.',
  sso_untested: 'Log in with a connection of the tenant, and require it within 10 minutes.',
  domain_unproven: 'Add the record to DNS, wait until it is published, and check again.',
  domain_taken: 'Remove the record of the other tenant from DNS, and check again after 24 hours.',
  app_url_missing: 'Set the app URL in the settings of the database.',
  external_id_taken: 'Choose another external ID.',
}

/** Returns what the operator can do about a problem, or undefined. */
export const adviceFor = ({ code }: Problem) => advice[code]

/** Returns the problem of a response. A proxy may respond with something else. */
export function problemOf(status: number, text: string): Problem {
  try {
    const { code, title, detail, requestId, errors = [] } = JSON.parse(text)
    if (code && title) return { code, title, detail: detail ?? '', requestId, errors }
  } catch {
    // Not a response of this server.
  }
  return status
    ? { code: 'unavailable', title: `Unexpected response (${status})`, detail: '', errors: [] }
    : { code: 'no_answer', title: 'No response from the server', detail: '', errors: [] }
}

/** Returns the problem of a field that is not sent. */
export const invalid = (path: string, detail: string): Problem => ({
  code: 'validation_failed',
  title: 'Not valid',
  detail: '',
  errors: [{ path, detail }],
})
