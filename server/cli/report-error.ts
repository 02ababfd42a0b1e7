import { ConfigError } from '../config.js'
import { UsageError } from '../domain/admin/operator-error.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import { isStoreUnavailable, isTlsFailure, reasonOf } from '../store/errors.js'

/** Writes why a command failed to stderr. @returns its exit code */
export function reportError(error: unknown) {
  const message =
    isStoreUnavailable(error) && !isTlsFailure(error)
      ? 'cannot reach the store. Check DATABASE_URL, and that Postgres is running'
      : reasonOf(error)
  process.stderr.write(`usher: ${message}\n`)
  return [ConfigError, BlocklistError, UsageError].some((type) => error instanceof type) ? 2 : 1
}
