import type { DatabasePath } from '@usher/contract'
import {
  type IdempotencyHeaders,
  type ImportResult,
  maxImportedLines,
  type UserLine,
} from '@usher/contract/management'
import { isForeignKeyViolation } from '../../../store/errors.js'
import { createDryRun } from '../../../store/queries/management/import-users.js'
import { type ApiKey, requireScope } from '../../api-keys/admit-api-key.js'
import type { AppContext } from '../../context.js'
import { changeOncePerKey } from '../../once-per-key.js'
import { Problem, validationFailed } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { requireDatabase } from '../databases.js'
import { createImport, type Line, type StoredLine, type StoredLines } from './import-lines.js'
import { isTaken } from './imported-factors.js'
import { shownTenant } from './ownerless-tenants.js'

/**
 * Imports the lines of a request in one transaction, each as a whole or not at all.
 *
 * @throws {Problem} `payload_too_large` if there are too many lines; `insufficient_scope` if a field of one needs another
 * scope, and then nothing is stored
 */
export function importUsers(
  context: AppContext,
  request: KeyRequest<string> & { params: DatabasePath; headers: IdempotencyHeaders },
): Promise<ImportResult> {
  const { apiKey, params, body } = request
  const lines = linesOf(body)
  return changeOncePerKey(context, request, {
    operation: 'importUsers',
    async prepare() {
      // Not the database of the request, whose hash parameters may be older: they limit which hashes are accepted.
      const database = await requireDatabase(context.store, params)
      const run = await createImport(context, database)(lines, (user) => requireScopes(apiKey, user))
      return async (change) => {
        const result = resultOf(await run(change).catch(ifChangedMeanwhile))
        const { created: added, existing: alreadyThere, rejected } = result
        return { result, facts: [{ type: 'users.imported', users: { added, alreadyThere, rejected } }] }
      }
    },
    responseOf: (result) => result,
  })
}

/**
 * Returns what an import of the lines of a request would return, and stores nothing.
 *
 * @throws {Problem} as {@link importUsers}
 */
export async function checkImport(
  context: AppContext,
  { apiKey, params, body }: KeyRequest<string> & { params: DatabasePath },
): Promise<ImportResult> {
  const database = await requireDatabase(context.store, params)
  const prepare = createImport(context, database, createDryRun())
  const run = await prepare(linesOf(body), (user) => requireScopes(apiKey, user))
  const result = resultOf(await run(context.store))
  // Nobody has the ID of a user who was not created. Later lines with the address refer to it, too.
  const made = new Set(result.lines.flatMap(({ status, userId }) => (status === 'created' ? userId : [])))
  const lines = result.lines.map((line) => (made.has(line.userId) ? { ...line, userId: null } : line))
  return { ...result, lines }
}

/**
 * Throws `unavailable` if a tenant was deleted or an identity was linked meanwhile: the lines can be imported again, which creates the
 * tenant, or rejects the identity.
 */
function ifChangedMeanwhile(cause: unknown): never {
  const isChanged = isForeignKeyViolation(cause, 'tenant_id') || isTaken(cause)
  throw isChanged ? new Problem('unavailable', { cause }) : cause
}

/** @throws {Problem} `payload_too_large` or `validation_failed` */
function linesOf(body: string): Line[] {
  const lines = body
    .split('\n')
    .flatMap((text, index) => (text.trim() === '' ? [] : { number: index + 1, text }))
  if (lines.length > maxImportedLines)
    throw new Problem('payload_too_large', { detail: `The body has more than ${maxImportedLines} lines.` })
  if (lines.length === 0)
    throw validationFailed([{ path: '', code: 'required', detail: 'must have at least one line' }])
  return lines
}

/** @throws {Problem} `insufficient_scope` */
function requireScopes(apiKey: ApiKey, { tenants, ...user }: UserLine) {
  const { passwordHash, emailVerifiedAt, identities, totp, passkeys } = user
  if ([passwordHash, emailVerifiedAt, identities, totp, passkeys].some((each) => each != null))
    requireScope(apiKey, 'credentials:write')
  if (tenants && tenants.length > 0) requireScope(apiKey, 'tenants:write')
}

/** Tenants that a response lists at most. A line may have any number of them. */
const mostTenants = 1_000

function resultOf({ lines, ownerless }: StoredLines): ImportResult {
  const count = (wanted: StoredLine['status']) => lines.filter(({ status }) => status === wanted).length
  return {
    created: count('created'),
    existing: count('exists'),
    rejected: count('rejected'),
    tenantsWithoutOwner: ownerless.slice(0, mostTenants).map(shownTenant),
    lines: lines.map(({ line, status, userId, errors }) => ({
      line: line.number,
      status,
      userId,
      errors: [...errors],
    })),
  }
}
