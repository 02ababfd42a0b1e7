import type { CatalogueEntry } from '../problems.js'

/** The problems that only the management API has. */
export const managementProblems = {
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
  refused: {
    status: 409,
    title: 'Current state does not allow the request',
    advice: '`detail` says what has to change first.',
  },
  precondition_failed: {
    status: 412,
    title: 'Resource has changed',
    advice: 'Read it again, and repeat the change with the new ETag.',
  },
} as const satisfies Record<string, CatalogueEntry>
