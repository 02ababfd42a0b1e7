import { setImmediate } from 'node:timers/promises'
import type { FieldError } from '@usher/contract'
import type { UserLine } from '@usher/contract/management'
import { findConnections } from '../../../store/queries/connections.js'
import {
  type AddedUsers,
  addUsers,
  type UserWithTenants,
} from '../../../store/queries/management/import-users.js'
import type { Queries, Store } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import type { Database } from '../../databases/find-database.js'
import type { Hasher } from '../../passwords/hasher.js'
import { requireStoredRoles, unknownRoles } from '../../tenants/roles.js'
import { createHashFilter, recordImportedParameters } from '../../users/imported-hashes.js'
import { LineError, lineError } from '../../users/line-error.js'
import { requirePublicKeys, sealFactors } from './imported-factors.js'
import { findOwnerless, type OwnerlessTenant } from './ownerless-tenants.js'
import { type Issuers, readUserLine, rowOf } from './user-line.js'

export interface Line {
  number: number
  text: string
}

/** The result of a line. */
export interface StoredLine {
  line: Line
  status: 'created' | 'exists' | 'rejected'
  /** The user with the address of the line. Null if it was rejected. */
  userId: string | null
  errors: readonly FieldError[]
}

/** The results of lines, and their tenants without an owner. */
export interface StoredLines {
  lines: readonly StoredLine[]
  ownerless: readonly OwnerlessTenant[]
}

/** Lines that are read before other work of the process gets a turn. One takes about 50 µs. */
const linesAtOnce = 50

export type Context = Pick<AppContext, 'now'> & { store: Store; hashing: Pick<Hasher, 'dummyHash'> }
export type Target = Pick<Database, 'id' | 'dummyHashes' | 'roles'>

/** Checks a line that can be read, before anything is stored. */
type Check = (user: UserLine) => void

/**
 * Returns a function that prepares the import of lines: it reads them, and records the parameters of their hashes. It returns a
 * function that imports them in a transaction, each as a whole or not at all. Hashes no password.
 *
 * @param dryRun returns what would be stored, and stores nothing
 */
export function createImport(context: Context, database: Target, dryRun?: typeof addUsers) {
  const checkHash = createHashFilter(context.hashing, database.dummyHashes)
  const recorded = new Set(database.dummyHashes)

  return async (lines: readonly Line[], require?: Check) => {
    const issuers = await issuersOf(context.store, database.id)
    const readable: Candidate[] = []
    const rejected: StoredLine[] = []
    for (const [index, line] of lines.entries()) {
      if (index % linesAtOnce === linesAtOnce - 1) await setImmediate()
      try {
        const given = { ...context, issuers, roles: database.roles }
        const candidate = candidateOf(line, given, { checkHash, require })
        await requirePublicKeys(candidate.row)
        readable.push(candidate)
      } catch (error) {
        if (!(error instanceof LineError)) throw error
        rejected.push({ line, status: 'rejected', userId: null, errors: error.errors })
      }
    }
    // Recorded before the users, because failed logins must verify a hash of these parameters once a user has them.
    const unrecorded = new Set(readable.flatMap(({ dummyHash }) => dummyHash ?? []))
    for (const dummyHash of recorded) unrecorded.delete(dummyHash)
    const refused = await recordImportedParameters(context, database.id, dryRun ? [] : [...unrecorded])
    for (const dummyHash of unrecorded) if (!refused.has(dummyHash)) recorded.add(dummyHash)
    const candidates: Candidate[] = []
    for (const candidate of readable) {
      const error = candidate.dummyHash && refused.get(candidate.dummyHash)
      if (!error) candidates.push(candidate)
      else rejected.push({ line: candidate.line, status: 'rejected', userId: null, errors: error.errors })
    }
    const users = candidates.map(({ row }) => row)
    if (!dryRun) await sealFactors(context, database.id, candidates)
    return async (transaction: Queries): Promise<StoredLines> => {
      const added = await (dryRun ?? addUsers)(transaction, database.id, users)
      if (!dryRun) await requireStoredRoles(transaction, database.id, users.flatMap(rolesOf))
      const ownerless = await findOwnerless(transaction, database.id, {
        added: [...added.added],
        existing: [...added.existing.keys()],
        isDryRun: dryRun !== undefined,
      })
      const lines = [...rejected, ...candidates.map((each) => storedLine(each, added))].sort(
        (one, other) => one.line.number - other.line.number,
      )
      return { lines, ownerless }
    }
  }
}

/** Returns the issuers of the connections of a database, also of those that are disabled. */
const issuersOf = async (store: Store, databaseId: string): Promise<Issuers> =>
  new Map((await findConnections(store, databaseId)).map(({ name, issuer }) => [name, issuer]))

const rolesOf = ({ tenants }: UserWithTenants) =>
  tenants.map(({ role }) => ['role', role ?? undefined] as const)

/** The error of an address that a user has recently given up. */
const reservedText = 'is reserved for a user who can undo a change of address'

/** Returns the result of a line that could be read. */
function storedLine({ line, row }: Candidate, { added, existing, conflicts }: AddedUsers): StoredLine {
  if (added.has(row)) return { line, status: 'created', userId: row.user.id, errors: [] }
  const userId = existing.get(row)
  if (userId) return { line, status: 'exists', userId, errors: [] }
  const { errors } = userId === null ? lineError('email', reservedText) : conflictError(conflicts.get(row))
  return { line, status: 'rejected', userId: null, errors }
}

/** Returns the error of a field that belongs to another user or tenant. */
function conflictError(path = 'id') {
  if (path.endsWith('.name')) return lineError(path, 'is not the name of the tenant with this externalId')
  return lineError(path, `belongs to another ${path.startsWith('tenants.') ? 'tenant' : 'user'}`)
}

interface Candidate {
  line: Line
  row: UserWithTenants
  totp: NonNullable<UserLine['totp']>
  /** Undefined if the user has no password. */
  dummyHash: string | undefined
}

/** @throws {LineError} */
function candidateOf(
  line: Line,
  { now, issuers, roles }: Pick<Context, 'now'> & Pick<Database, 'roles'> & { issuers: Issuers },
  { checkHash, require }: { checkHash: (hash: string) => string; require?: Check | undefined },
): Candidate {
  const user = readUserLine(line.text)
  require?.(user)
  const given = user.tenants?.map(({ role }, index) => [`tenants.${index}.role`, role ?? undefined] as const)
  const errors = unknownRoles({ roles }, given ?? [])
  if (errors.length > 0) throw new LineError(errors)
  const { passwordHash } = user
  return {
    line,
    row: rowOf(user, { now: new Date(now()), issuers }),
    totp: user.totp ?? [],
    dummyHash: passwordHash == null ? undefined : checkHash(passwordHash),
  }
}
