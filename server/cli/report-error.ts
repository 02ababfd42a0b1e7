import { CommanderError } from '@commander-js/extra-typings'
import { ConfigError } from '../config.js'
import { TemplateError } from '../domain/mail/templates.js'
import { type FailureReason, OperatorError, operatorErrors } from '../domain/management/operator-error.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
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
import { FailedMigrationError } from '../store/migrate.js'
import { NoStoreError, NotMigratedError } from '../store/open.js'
import { jsonText } from './io/output.js'

/** Exit codes by the reason of an error. */
export const exitCodes: Record<FailureReason | 'unavailable', number> = {
  refused: 1,
  invalid: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 5,
}

interface ErrorType {
  reason: keyof typeof exitCodes
  title: string
}

/** The errors of the rules of operators, and those that only commands have. docs/cli.md lists them. */
export const commandErrors = {
  ...operatorErrors,
  // Not a usage error, because the password is not an argument.
  password_rejected: { ...operatorErrors.password_rejected, reason: 'refused' },
  configuration_invalid: { reason: 'invalid', title: 'Invalid configuration' },
  store_unavailable: { reason: 'unavailable', title: 'Store is unavailable' },
  store_in_use: { reason: 'unavailable', title: 'Store is in use' },
  store_missing: { reason: 'refused', title: 'Store does not exist' },
  store_not_migrated: { reason: 'refused', title: 'Store has pending migrations' },
  migration_failed: { reason: 'refused', title: 'Migration failed' },
  tls_failed: { reason: 'refused', title: 'TLS to Postgres failed' },
  unexpected: { reason: 'refused', title: 'Unexpected error' },
} as const satisfies Record<string, ErrorType>

type Code = keyof typeof commandErrors

/**
 * Reports on stderr why a command failed.
 *
 * @param json whether to write it as a line of JSON
 * @returns its exit code
 */
export function reportError(error: unknown, json: boolean) {
  const code = codeOf(error)
  const { reason, title } = commandErrors[code]
  const exitCode = exitCodes[reason]
  const detail = detailOf(error, code)
  const { suggestion } = error as { suggestion?: string }
  const line = json ? jsonText({ code, title, detail, suggestion, exitCode }) : `usher: ${detail}`
  process.stderr.write(`${line}\n`)
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
]

function codeOf(error: unknown): Code {
  if (error instanceof OperatorError) return error.code
  const [, code] = types.find(([type]) => error instanceof type) ?? []
  if (code) return code
  if (isTlsFailure(error)) return 'tls_failed'
  if (unreachableNodeOf(error) || isStatementTimeout(error) || isStoreUnavailable(error))
    return 'store_unavailable'
  return error instanceof FailedMigrationError ? 'migration_failed' : 'unexpected'
}

function detailOf(error: unknown, code: Code) {
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
