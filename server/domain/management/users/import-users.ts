import { addUsers, createDryRun, type NewUser } from '../../../store/queries/management/bulk.js'
import type { Store } from '../../../store/store.js'
import { clockSkewSeconds } from '../../clock.js'
import type { AppContext } from '../../context.js'
import type { Database } from '../../databases/find-database.js'
import type { Hasher } from '../../passwords/hasher.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { createHashFilter } from './imported-hashes.js'
import { LineError, readUserLine, rowOf } from './user-line.js'

export interface Line {
  number: number
  text: string
  /** Length in the file, including the line ending. */
  bytes: number
  /** Reason why the line cannot be read. */
  error?: string
}

/** A line that was not imported. The reason contains no hash. */
export interface RejectedLine extends Pick<Line, 'number' | 'text'> {
  reason: string
}

export interface ImportedBatch {
  added: number
  /** Lines with the email of an existing user or of an earlier line. They change nothing. */
  alreadyThere: number
  rejected: RejectedLine[]
  bytes: number
}

const batchLines = 500
const batchBytes = 4 * 2 ** 20

/**
 * Imports users in batches. Each batch is one transaction, so that running an interrupted import again completes it.
 * Yields the counts and the rejected lines of each batch.
 *
 * @param file.dryRun whether to count and reject lines in the same way, but store nothing. Keeps all addresses in
 * memory
 */
export async function* importUsers(
  context: Pick<AppContext, 'now'> & { store: Store; hashing: Pick<Hasher, 'dummyHash'> },
  database: Pick<Database, 'id' | 'dummyHashes'>,
  { lines, dryRun = false }: { lines: AsyncIterable<Line> | Iterable<Line>; dryRun?: boolean | undefined },
): AsyncGenerator<ImportedBatch> {
  const add = dryRun ? createDryRun() : addUsers
  const checkHash = createHashFilter(context.hashing, database.dummyHashes)
  const recorded = new Set(database.dummyHashes)

  for await (const { batch, bytes } of inBatches(lines)) {
    const rejected: RejectedLine[] = []
    const reject = ({ number, text }: Line, reason: string) => rejected.push({ number, text, reason })
    const candidates: Candidate[] = []
    const repeated: Candidate[] = []
    const emails = new Set<string>()
    for (const line of batch) {
      try {
        const candidate = candidateOf(line, context, checkHash)
        const { canonicalEmail } = candidate.row.user
        if (emails.has(canonicalEmail)) repeated.push(candidate)
        else candidates.push(candidate)
        emails.add(canonicalEmail)
      } catch (error) {
        if (!(error instanceof LineError)) throw error
        reject(line, error.message)
      }
    }
    // Before the users, because failed logins must verify a hash of these parameters once there is a user with them.
    for (const { dummyHash } of candidates) {
      if (dryRun || recorded.has(dummyHash)) continue
      await recordHashParameters(context, database, dummyHash)
      recorded.add(dummyHash)
    }
    const rows = candidates.map(({ row }) => row)
    const { added, existing } = await add(context.store, database.id, rows)
    const isStored = ({ row }: Candidate) =>
      added.has(row.user.canonicalEmail) || existing.has(row.user.canonicalEmail)
    for (const each of candidates) if (!isStored(each)) reject(each.line, reasonOf(each))
    for (const each of repeated) if (!isStored(each)) reject(each.line, 'email: belongs to a rejected line')
    rejected.sort((a, b) => a.number - b.number)
    const alreadyThere = existing.size + repeated.filter(isStored).length
    yield { added: added.size, alreadyThere, rejected, bytes }
  }
}

async function* inBatches(lines: AsyncIterable<Line> | Iterable<Line>) {
  let batch: Line[] = []
  let bytes = 0
  for await (const line of lines) {
    bytes += line.bytes
    if (line.error || line.text.trim() !== '') batch.push(line)
    if (batch.length < batchLines && bytes < batchBytes) continue
    yield { batch, bytes }
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield { batch, bytes }
}

/** Returns why a line was left out. */
const reasonOf = ({ row: { user, tenants } }: Candidate) =>
  [user, ...tenants].some(({ externalId }) => externalId !== null)
    ? 'id or externalId: belongs to another user or tenant'
    : 'id: belongs to another user'

interface Candidate {
  line: Line
  row: NewUser
  dummyHash: string
}

/** @throws {LineError} */
function candidateOf(
  line: Line,
  { hashing, now }: Pick<AppContext, 'now'> & { hashing: Pick<Hasher, 'dummyHash'> },
  checkHash: (hash: string) => string,
): Candidate {
  if (line.error) throw new LineError(line.error)
  const user = readUserLine(line.text)
  // Tokens are issued no earlier than this instant, so a future one would extend their validity.
  if (user.tokensValidAfter && user.tokensValidAfter.getTime() > now() + clockSkewSeconds * 1000) {
    throw new LineError('tokensValidAfter: must not be in the future')
  }
  const passwordHash = user.passwordHash ?? hashing.dummyHash
  return { line, row: rowOf(user, passwordHash, new Date(now())), dummyHash: checkHash(passwordHash) }
}
