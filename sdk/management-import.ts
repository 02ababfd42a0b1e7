import type { ManagementOperations } from './management-endpoints.js'
import type { ImportedLine, UserLine } from './management-schemas.js'
import type { CallOptions } from './send.js'

/** Limits of one request. */
const maxLines = 1000
const maxBytes = 2 ** 20

/** The import of any number of users. */
export interface ManagementImport {
  /**
   * Imports users by as many calls of `importUsers` as needed, and yields the result of each user, in order. Reads users as they
   * are needed. If it is interrupted, run it again: existing users are not changed.
   *
   * @example
   * ```ts
   * for await (const { line, status, errors } of usher.importAllUsers(users))
   *   if (status === 'rejected') console.error(line, errors)
   * ```
   *
   * @throws {UsherError} if a call fails. Users of earlier calls stay imported
   */
  importAllUsers(
    users: Iterable<UserLine> | AsyncIterable<UserLine>,
    options?: CallOptions,
  ): AsyncGenerator<ImportedLine, void, undefined>
}

/** Returns the function that imports any number of users. */
export const createImport = ({ importUsers }: Pick<ManagementOperations, 'importUsers'>) =>
  async function* (users: Iterable<UserLine> | AsyncIterable<UserLine>, options?: CallOptions) {
    let before = 0
    for await (const lines of chunksOf(users)) {
      const { data, error } = await importUsers({ lines }, options)
      if (error) throw error
      for (const each of data.lines) yield { ...each, line: before + each.line }
      before += lines.length
    }
  } satisfies ManagementImport['importAllUsers']

/** Returns the length of JSON in UTF-8. */
const bytesOf = (json: string) => encodeURIComponent(json).replace(/%../g, ' ').length

/** Yields users in chunks that fit into one request. */
async function* chunksOf(users: Iterable<UserLine> | AsyncIterable<UserLine>) {
  let lines: UserLine[] = []
  let bytes = 0
  for await (const user of users) {
    const length = bytesOf(JSON.stringify(user)) + 1
    if (lines.length === maxLines || (lines.length > 0 && bytes + length > maxBytes)) {
      yield lines
      lines = []
      bytes = 0
    }
    lines.push(user)
    bytes += length
  }
  if (lines.length > 0) yield lines
}
