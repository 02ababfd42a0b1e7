import { PathName } from '@usher/contract'
import { UsageError } from './operator-error.js'

/** @throws {UsageError} where the text cannot stand in the paths of the API */
export function requirePathName(what: string, text: string) {
  if (PathName.safeParse(text).success) return
  throw new UsageError(
    `${what} ${JSON.stringify(text)} must have 1 to 63 letters, digits, - or _ of ASCII and not begin with -`,
  )
}
