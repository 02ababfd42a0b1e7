import { ConfigError } from '../config.js'
import { TemplateError } from '../domain/mail/templates.js'
import { UsageError } from '../domain/management/operator-error.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import {
  isStatementTimeout,
  isStoreUnavailable,
  isTlsFailure,
  reasonOf,
  unreachableNodeOf,
} from '../store/errors.js'

/** Writes why a command failed to stderr. @returns its exit code */
export function reportError(error: unknown) {
  process.stderr.write(`usher: ${messageOf(error)}\n`)
  return [ConfigError, BlocklistError, TemplateError, UsageError].some((type) => error instanceof type)
    ? 2
    : 1
}

function messageOf(error: unknown) {
  const node = unreachableNodeOf(error)
  if (node) return `cannot reach a node of the store: ${node}`
  if (isStatementTimeout(error))
    return 'a statement took too long. Check that Postgres, or each worker of a distributed store, responds'
  return isStoreUnavailable(error) && !isTlsFailure(error)
    ? 'cannot reach the store. Check DATABASE_URL, and that Postgres is running'
    : reasonOf(error)
}
