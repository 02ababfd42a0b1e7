import type { Queries } from '../store.js'

/** A count that a request increases. */
export interface RequestCount {
  /** Undefined to count several kinds of mails together. */
  purpose: string | undefined
  /** HMAC of the network, site, address or database whose requests are counted. */
  source: Uint8Array
  /** When an allowance that is full now will be full again after one request. */
  firstFullAt: Date
}

/** The counts of a request. Every request must have them in the same order. */
export interface CountedRequest {
  databaseId: string
  counts: readonly RequestCount[]
  now: Date
  /** A later timestamp of a count is ignored, because the clock was set back since it was written. */
  impossible: Date
}

/** Counts a request. Returns when each allowance will be full again after it. */
export async function countRequest(
  { query }: Queries,
  { databaseId, counts, now, impossible }: CountedRequest,
) {
  const rows = await query<{ source: Uint8Array; fullAt: Date }>(countStatement(counts.length), [
    databaseId,
    now,
    impossible,
    ...counts.flatMap(({ purpose, source, firstFullAt }) => [purpose ?? '', source, firstFullAt]),
  ])
  const bySource = new Map(rows.map(({ source, fullAt }) => [hex(source), fullAt.getTime()]))
  return counts.map(({ source }) => bySource.get(hex(source)) ?? 0)
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Statements by their number of counts, so that each has the same text every time. */
const countStatements: string[] = []

// Rows are locked in their order, so that two requests cannot deadlock. Citus accepts only immutable functions here.
// Adding an interval is immutable in a fixed time zone.
function countStatement(rows: number) {
  const values = Array.from({ length: rows }, (_, index) => {
    const first = 4 + 3 * index
    return `($1::uuid, $${first}, $${first + 1}::bytea, $2::timestamptz, $${first + 2}::timestamptz)`
  })
  countStatements[rows] ??= `
  INSERT INTO usher.code_request AS request (database_id, purpose, source, counted_at, full_at)
  VALUES ${values.join(',\n    ')}
  ON CONFLICT (database_id, purpose, source) DO UPDATE SET
    counted_at = excluded.counted_at,
    full_at = CASE WHEN request.counted_at > $3::timestamptz THEN excluded.full_at ELSE
      (GREATEST(request.full_at, $2::timestamptz) AT TIME ZONE 'UTC' + (excluded.full_at - $2::timestamptz))
        AT TIME ZONE 'UTC' END
  RETURNING source, full_at AS "fullAt"`
  return countStatements[rows]
}
