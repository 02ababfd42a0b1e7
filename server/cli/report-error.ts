import { CommanderError } from '@commander-js/extra-typings'
import { ConfigError } from '../config.js'
import { TemplateError } from '../domain/mail/templates.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import {
  commandProblems,
  describeProblem,
  Problem,
  type Reason,
  type RuleProblemCode,
} from '../domain/problem.js'
import {
  FolderInUseError,
  isExpiredTransaction,
  isLockFailure,
  isRefusedForNow,
  isStatementTimeout,
  isStoreUnavailable,
  isTlsFailure,
  reasonOf,
  unreachableNodeOf,
} from '../store/errors.js'
import { EarlierStoreError, FailedMigrationError } from '../store/migrate.js'
import { NoStoreError, NotMigratedError } from '../store/open.js'
import { UnsupportedStoreError } from '../store/require-supported.js'
import type { Host } from './io/host.js'
import { printableLines } from './io/listing.js'
import { jsonText } from './io/output.js'

/** Exit codes by the reason of an error. */
export const exitCodes: Record<Reason, number> = {
  refused: 1,
  invalid: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 5,
}

/** The problems of the API that commands have too. */
const sharedCodes = [
  'validation_failed',
  'database_not_found',
  'user_not_found',
  'tenant_not_found',
  'member_not_found',
  'email_taken',
  'external_id_taken',
  'already_member',
  'connection_not_found',
  'invitations_full',
  'code_invalid',
  'session_not_opened',
  'second_factor_invalid',
  'too_many_attempts',
  'unavailable',
  'role_insufficient',
  'step_up_required',
] as const satisfies RuleProblemCode[]

const otherErrors = {
  configuration_invalid: { reason: 'invalid', title: 'Invalid configuration' },
  store_unavailable: { reason: 'unavailable', title: 'Store is unavailable' },
  store_in_use: { reason: 'unavailable', title: 'Store is in use' },
  store_missing: { reason: 'refused', title: 'Store does not exist' },
  store_not_migrated: { reason: 'refused', title: 'Store has pending migrations' },
  store_outdated: { reason: 'refused', title: 'Store is of an earlier checkout' },
  store_unsupported: { reason: 'refused', title: 'Postgres server or database is not supported' },
  migration_failed: { reason: 'refused', title: 'Migration failed' },
  tls_failed: { reason: 'refused', title: 'TLS to Postgres failed' },
  unexpected: { reason: 'refused', title: 'Unexpected error' },
} as const satisfies Record<string, { reason: Reason; title: string }>

/** The errors of commands. docs/cli.md lists them. */
export const commandErrors: Record<string, { reason: Reason; title: string }> = {
  ...Object.fromEntries(sharedCodes.map((code) => [code, describeProblem(code)])),
  ...commandProblems,
  ...otherErrors,
}

type Code = RuleProblemCode | keyof typeof otherErrors

/** What to do about a problem on the command line. `NAME` is that of the workspace or database. */
const advice: Partial<Record<Code, string>> = {
  workspace_not_found: 'Create it with: npx @usher/server workspace create NAME',
  workspace_not_empty: 'Delete them first with: npx @usher/server database delete NAME/DATABASE',
  database_being_deleted: 'To finish: npx @usher/server database delete NAME',
  account_operations_off: 'Turn them on with: npx @usher/server database set NAME --account-operations on',
  tenant_operations_off: 'Turn them on with: npx @usher/server database set NAME --tenant-operations on',
  app_url_missing: 'Set it with: npx @usher/server database set NAME --app-url URL',
  webhook_missing: 'Also set --webhook-url',
  too_many_api_keys: 'Revoke one with: npx @usher/server api-key revoke NAME KEY',
  too_many_connections: 'Remove one with: npx @usher/server connection remove NAME CONNECTION',
  key_needed: 'Run first: npx @usher/server keys rotate NAME --activate-in 0',
}

/**
 * Reports on stderr why a command failed.
 *
 * @param output.json whether to write it as a line of JSON
 * @returns its exit code
 */
export function reportError(
  error: unknown,
  { json, stderr, admit }: Pick<Host, 'stderr' | 'admit'> & { json: boolean },
) {
  const code = codeOf(error)
  const { reason, title } =
    code in otherErrors
      ? otherErrors[code as keyof typeof otherErrors]
      : describeProblem(code as RuleProblemCode)
  const exitCode = exitCodes[reason]
  const detail = admit ? detailForRemote(error, code) : detailOf(error, code)
  const { suggestion } = error as { suggestion?: string }
  // A server may have sent the detail.
  const line = json
    ? jsonText({ code, title, detail, suggestion, exitCode })
    : `usher: ${printableLines(detail)}`
  stderr.write(`${line}\n`)
  return exitCode
}

/** Codes of errors without their own code. */
const types: [new (...args: never[]) => Error, Code][] = [
  [CommanderError, 'usage_error'],
  [ConfigError, 'configuration_invalid'],
  [BlocklistError, 'configuration_invalid'],
  [TemplateError, 'configuration_invalid'],
  [FolderInUseError, 'store_in_use'],
  [NoStoreError, 'store_missing'],
  [NotMigratedError, 'store_not_migrated'],
  [EarlierStoreError, 'store_outdated'],
  [UnsupportedStoreError, 'store_unsupported'],
]

function codeOf(error: unknown): Code {
  if (error instanceof Problem) return error.code
  const [, code] = types.find(([type]) => error instanceof type) ?? []
  if (code) return code
  if (isTlsFailure(error)) return 'tls_failed'
  if (unreachableNodeOf(error) || isStatementTimeout(error) || isStoreUnavailable(error))
    return 'store_unavailable'
  return error instanceof FailedMigrationError ? 'migration_failed' : 'unexpected'
}

/** Returns the detail of a problem as it continues the line `usher: …`, with what to do. */
function textOf({ code, message, about }: Problem) {
  const text = message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
  const next = about === undefined ? undefined : advice[code]
  return next ? `${text} ${next.replace('NAME', about ?? '')}` : text.replace(/\.$/, '')
}

/** Operators of a workspace see nothing of the store. The log of the server has it. */
const detailForRemote = (error: unknown, code: Code) =>
  code === 'unexpected' || code === 'store_unavailable' ? describedForRemote[code] : detailOf(error, code)

const describedForRemote = {
  unexpected: 'the server has an unexpected error. Its log has more',
  store_unavailable: 'the store of the server is unavailable. Run the command again',
}

function detailOf(error: unknown, code: Code) {
  if (error instanceof Problem) return textOf(error)
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '')
  if (code !== 'store_unavailable') return reasonOf(error)
  const node = unreachableNodeOf(error)
  if (node) return `cannot reach a node of the store: ${node}`
  if (isStatementTimeout(error))
    return 'a statement took too long. Check that Postgres, or each worker of a distributed store, responds'
  if (isExpiredTransaction(error)) return 'another change was in the way for too long. Run the command again'
  if (isLockFailure(error)) return `another change was in the way (${reasonOf(error)}). Run the command again`
  if (isRefusedForNow(error))
    return `Postgres refused a statement: ${reasonOf(error)}. Run the command again when Postgres accepts it`
  return 'cannot reach the store. Check DATABASE_URL, and that Postgres is running'
}
