import { randomUUID } from 'node:crypto'
import type { OpenStore } from '../support/open-store.js'

/** Events that wait in each of some databases. */
export interface Backlog {
  databaseIds: string[]
  users: number
  eventsOfUser: number
}

/** Few enough for the time limit of a statement. */
const rowsOfStatement = 20_000

/** Stores events of new users, as servers do, and updates the statistics of the planner. */
export async function storeBacklog(
  { prisma }: Pick<OpenStore, 'prisma'>,
  { databaseIds, users, eventsOfUser }: Backlog,
) {
  const streams = databaseIds.flatMap((databaseId) =>
    Array.from({ length: users }, () => ({ databaseId, id: randomUUID() })),
  )
  const events = Math.min(eventsOfUser, rowsOfStatement)
  const slice = Math.floor(rowsOfStatement / events)
  for (let begin = 0; begin < streams.length; begin += slice) {
    const some = streams.slice(begin, begin + slice)
    const [databases, ids] = [some.map(({ databaseId }) => databaseId), some.map(({ id }) => id)]
    for (let first = 0; first < eventsOfUser; first += events)
      await prisma.$executeRaw`
        INSERT INTO usher.outbox (database_id, id, kind, user_id, payload, created_at, stored_at, due_at)
        SELECT stream.database_id, gen_random_uuid(), 'webhook', stream.id,
          jsonb_build_object('type', 'user.updated', 'userId', stream.id, 'number', n), now(),
          now() + n * interval '1 microsecond', now()
        FROM unnest(${databases}::uuid[], ${ids}::uuid[]) AS stream (database_id, id),
          generate_series(${first}::int, ${first + events - 1}::int) AS n`
    await prisma.$executeRaw`
      INSERT INTO usher.outbox_stream (database_id, id, due_at)
      SELECT database_id, id, now() FROM unnest(${databases}::uuid[], ${ids}::uuid[]) AS stream (database_id, id)`
  }
  if (users * eventsOfUser >= 1_000) await prisma.$executeRaw`ANALYZE usher.outbox, usher.outbox_stream`
}
