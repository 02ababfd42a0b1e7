import { PathName } from '@usher/contract'
import { UsageError } from './operator-error.js'

/** @throws {UsageError} if the text cannot be part of an API path */
export function requirePathName(what: string, text: string) {
  if (PathName.safeParse(text).success) return
  throw new UsageError(
    `${what} ${JSON.stringify(text)} must be 1 to 63 ASCII letters, digits, - or _, and must not start with -`,
  )
}
