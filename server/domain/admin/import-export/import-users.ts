import { v7 as uuidv7 } from 'uuid'
import { addUsers, type NewUser } from '../../../store/queries/bulk.js'
import { clockSkewSeconds } from '../../clock-skew.js'
import type { AppContext } from '../../context.js'
import type { Database } from '../../databases/find-database.js'
import type { Hasher } from '../../passwords/hasher.js'
import { requireCanonicalEmail } from '../../users/canonical-email.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { createHashFilter } from './imported-hashes.js'
import { createSeenKeys } from './seen-keys.js'
import { LineError, readUserLine, type UserLine } from './user-line.js'

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  number: number
  text: string
  /** Its length in the file, with its end. */
  bytes: number
  /** Why it cannot be read at all. */
  fault?: string
}

/** A line that was not taken, and why; the reason shows no hash. */
export interface RejectedLine extends Pick<Line, 'number' | 'text'> {
  reason: string
}

/** What became of some lines, once they are in the store. */
export interface ImportedBatch {
  added: number
  /** Users whose address was there before the file; they stay as they are. */
  alreadyThere: number
  rejected: RejectedLine[]
  bytes: number
}

const batchLines = 500
const batchBytes = 4 * 2 ** 20

/**
 * Moves users in from elsewhere, a batch at a time: each batch is in the store wholly or not at all, so that an
 * import that was ended somehow is finished by running it again. Faulty lines are left out and told.
 *
 * @param database is told of new shapes of hashes before the users come who have them
 */
export async function* importUsers(
  context: Pick<AppContext, 'store' | 'now'> & { hashing: Pick<Hasher, 'dummyHash'> },
  database: Pick<Database, 'id' | 'dummyHashes'>,
  lines: AsyncIterable<Line> | Iterable<Line>,
): AsyncGenerator<ImportedBatch> {
  const judge = createHashFilter(context.hashing, database.dummyHashes)
  const isFirst = createSeenKeys()
  const noted = new Set(database.dummyHashes)

  for await (const { batch, bytes } of inBatches(lines)) {
    const rejected: RejectedLine[] = []
    const reject = ({ number, text }: Line, reason: string) => rejected.push({ number, text, reason })
    const candidates: Candidate[] = []
    for (const line of batch) {
      try {
        const candidate = candidateOf(line, context, judge)
        if (!isFirst(candidate.row.user.canonicalEmail))
          throw new LineError('email: is that of an earlier line')
        candidates.push(candidate)
      } catch (error) {
        if (!(error instanceof LineError)) throw error
        reject(line, error.message)
      }
    }
    for (const { shape } of candidates) {
      if (noted.has(shape)) continue
      await recordHashParameters(context, database, shape)
      noted.add(shape)
    }
    const rows = candidates.map(({ row }) => row)
    const { added, existing } = await addUsers(context.store.prisma, database.id, rows)
    for (const { line, row } of candidates) {
      const { canonicalEmail } = row.user
      if (!added.has(canonicalEmail) && !existing.has(canonicalEmail)) reject(line, 'id: is another user’s')
    }
    rejected.sort((a, b) => a.number - b.number)
    yield { added: added.size, alreadyThere: existing.size, rejected, bytes }
  }
}

async function* inBatches(lines: AsyncIterable<Line> | Iterable<Line>) {
  let batch: Line[] = []
  let bytes = 0
  for await (const line of lines) {
    bytes += line.bytes
    if (line.fault || line.text.trim() !== '') batch.push(line)
    if (batch.length < batchLines && bytes < batchBytes) continue
    yield { batch, bytes }
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield { batch, bytes }
}

/** A line that may be taken. */
interface Candidate {
  line: Line
  row: NewUser
  /** The dummy hash of its hash. */
  shape: string
}

/** @throws {LineError} */
function candidateOf(
  line: Line,
  { hashing, now }: Pick<AppContext, 'now'> & { hashing: Pick<Hasher, 'dummyHash'> },
  judge: (hash: string) => string,
): Candidate {
  if (line.fault) throw new LineError(line.fault)
  const user = readUserLine(line.text)
  // Tokens are issued no earlier than this instant, so one far ahead would make tokens that last as long.
  if (user.tokensValidAfter && user.tokensValidAfter.getTime() > now() + clockSkewSeconds * 1000) {
    throw new LineError('tokensValidAfter: must not be in the future')
  }
  const passwordHash = user.passwordHash ?? hashing.dummyHash
  return { line, row: rowOf(user, passwordHash, new Date(now())), shape: judge(passwordHash) }
}

function rowOf({ tenants, ...user }: UserLine, passwordHash: string, now: Date): NewUser {
  const createdAt = user.createdAt ?? now
  return {
    user: {
      id: user.id ?? uuidv7(),
      email: user.email,
      canonicalEmail: requireCanonicalEmail(user.email),
      passwordHash,
      preferredName: user.preferredName ?? null,
      disabledAt: user.disabledAt ?? null,
      tokensValidAfter: user.tokensValidAfter ?? null,
      createdAt,
    },
    tenants: (tenants ?? []).map((tenant, index) => ({
      id: tenant.id ?? uuidv7(),
      name: tenant.name,
      createdAt: tenant.createdAt ?? createdAt,
      // A millisecond apart keeps them in the order of the line.
      joinedAt: tenant.joinedAt ?? new Date(createdAt.getTime() + index),
    })),
  }
}
