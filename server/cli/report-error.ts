import { CommanderError } from '@commander-js/extra-typings'
import { type ErrorCode, exitCodeOf, problems } from '@usher/contract'
import { ConfigError } from '../config.js'
import { TemplateError } from '../domain/mail/templates.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import { Problem } from '../domain/problem.js'
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

/** Errors of the process and the store, which no rule throws. */
export const otherErrors = {
  configuration_invalid: { exit: 2, title: 'Invalid configuration' },
  store_unavailable: { exit: 5, title: 'Store is unavailable' },
  store_in_use: { exit: 5, title: 'Store is in use' },
  store_missing: { exit: 1, title: 'Store does not exist' },
  store_not_migrated: { exit: 1, title: 'Store has pending migrations' },
  store_outdated: { exit: 1, title: 'Store is of an earlier checkout' },
  store_unsupported: { exit: 1, title: 'Postgres server or database is not supported' },
  migration_failed: { exit: 1, title: 'Migration failed' },
  tls_failed: { exit: 1, title: 'TLS to Postgres failed' },
  unexpected: { exit: 1, title: 'Unexpected error' },
} as const

type Code = ErrorCode | keyof typeof otherErrors

const isOther = (code: Code): code is keyof typeof otherErrors => code in otherErrors

/**
 * Reports on stderr why a command failed.
 *
 * @param output.json whether to write it as a line of JSON
 * @returns its exit code
 */
export function reportError(error: unknown, { json, stderr }: Pick<Host, 'stderr'> & { json: boolean }) {
  const code = codeOf(error)
  const { title } = isOther(code) ? otherErrors[code] : problems[code]
  const exitCode = isOther(code) ? otherErrors[code].exit : exitCodeOf(code)
  const detail = detailOf(error, code)
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
  const entry: { title: string; command?: string } = problems[code]
  const next = about === undefined ? undefined : entry.command
  return next ? `${text} ${next.replace('NAME', about ?? '')}` : text.replace(/\.$/, '')
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
