import type { CatalogueEntry } from '../problems.js'

/** The problems that only the management API has. */
export const managementProblems = {
  key_invalid: {
    status: 401,
    title: 'API key is invalid',
    advice:
      'Send an API key of this database as a Bearer token. It is missing, mistyped, expired, revoked or of another database.',
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
    advice: 'An external id is unique in a database, among users and among tenants.',
  },
  events_not_kept: {
    status: 409,
    title: 'Events are not kept',
    advice: 'Let the operator set `--events-kept` of the database to a number of days.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor has expired',
    advice:
      'Send the request without `after`, which starts with the oldest item, and read again what your copy depends on. The next items were deleted, or the store was restored from a backup.',
  },
  refused: {
    status: 409,
    title: 'State does not allow the request',
    advice: '`detail` says what has to change first.',
  },
  precondition_failed: {
    status: 412,
    title: 'Resource has changed',
    advice: 'Read it again, and repeat the change with the new ETag.',
  },
} as const satisfies Record<string, CatalogueEntry>
