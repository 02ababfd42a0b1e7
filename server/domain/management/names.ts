import { type DatabasePath, PathName } from '@usher/contract'
import { ifStoreUnavailable } from '../../store/errors.js'
import { findPaths, findSlugs } from '../../store/queries/management/names.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../database-name.js'
import { invalidField, Problem } from '../problem.js'

/**
 * Checks the slug of a workspace or the name of a database.
 *
 * @param field.path name of the field in a request
 * @throws {Problem} `validation_failed` if it cannot be part of an API path
 */
export function requirePathName(field: { path: string; what: string }, text: string) {
  if (PathName.safeParse(text).success) return
  const rule = 'must be 1 to 63 ASCII letters, digits, - or _, and must not start with -'
  throw new Problem('validation_failed', {
    detail: `${field.what} ${JSON.stringify(text)} ${rule}`,
    errors: [invalidField(field.path, rule)],
  })
}

/** Returns the error for a database that does not exist, with a similar existing path if there is one. */
export async function databaseNotFound(store: Store, path: DatabasePath) {
  const name = nameOfDatabase(path)
  const similar = await similarName(name, (lengths) => findPaths(store, lengths))
  const detail = `Database ${name} does not exist.${question(similar)}`
  return new Problem('database_not_found', { detail, suggestion: similar })
}

/**
 * Returns the error for a workspace that does not exist, with a similar existing slug if there is one.
 *
 * @param about the slug, if the advice is to create the workspace
 */
export async function workspaceNotFound(store: Store, slug: string, about?: string) {
  const similar = await similarName(slug, (lengths) => findSlugs(store, lengths))
  const detail = `Workspace ${slug} does not exist.${question(similar)}`
  return new Problem('workspace_not_found', { detail, suggestion: similar, ...(about && { about }) })
}

const question = (similar: string | undefined) => (similar ? ` Did you mean ${similar}?` : '')

/** Returns how many characters of a misspelt name may differ, by its length. */
const maxDistance = (name: string) => Math.max(1, Math.min(3, Math.floor(name.length / 4)))

/** Returns the existing name with the fewest changed characters. */
async function similarName(
  name: string,
  find: (lengths: { min: number; max: number }) => Promise<string[]>,
): Promise<string | undefined> {
  const limit = maxDistance(name)
  const names = await find({ min: name.length - limit, max: name.length + limit }).catch(
    ifStoreUnavailable([]),
  )
  let best: { name: string; distance: number } | undefined
  for (const each of names) {
    if (digitsIn(each) !== digitsIn(name)) continue
    const distance = editDistance(name.toLowerCase(), each.toLowerCase(), limit)
    const isBetter = !best || distance < best.distance || (distance === best.distance && each < best.name)
    if (distance <= limit && isBetter) best = { name: each, distance }
  }
  return best?.name
}

/** Returns the digits of a name. Names with different digits, such as customer-17, do not count as misspelt. */
const digitsIn = (name: string) => name.replace(/\D/g, '')

/**
 * Returns how many characters must be added, removed, replaced or swapped with the next one (optimal string alignment).
 * Returns Infinity if they are more than the limit.
 */
function editDistance(from: string, to: string, limit: number) {
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  return distanceWithoutPrefix(from.slice(same), to.slice(same), limit)
}

function distanceWithoutPrefix(from: string, to: string, limit: number) {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    // Only a swap can make a row better than the row before it.
    if (Math.min(...current) > limit && Math.min(...last) > limit) return Number.POSITIVE_INFINITY
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
