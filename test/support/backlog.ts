import type { Store } from '../../server/store/store.js'

/** Events that wait in each of some databases. */
export interface Backlog {
  databaseIds: string[]
  users: number
  eventsOfUser: number
}

/** Stores events of users that nobody else knows, as servers do, and lets the planner know. */
export async function storeBacklog(
  { prisma }: Pick<Store, 'prisma'>,
  { databaseIds, users, eventsOfUser }: Backlog,
) {
  await prisma.$executeRaw`
    WITH users AS MATERIALIZED (
      SELECT database_id, gen_random_uuid() AS id
      FROM unnest(${databaseIds}::uuid[]) AS database_id, generate_series(1, ${users}::int)),
    messages AS (
      INSERT INTO usher.outbox (database_id, id, kind, user_id, payload, created_at, stored_at, due_at, in_stream)
      SELECT database_id, gen_random_uuid(), 'webhook', users.id,
        jsonb_build_object('type', 'user.updated', 'userId', users.id, 'number', n), now(),
        now() + n * interval '1 microsecond', now(), true
      FROM users, generate_series(0, ${eventsOfUser}::int - 1) AS n)
    INSERT INTO usher.outbox_stream (database_id, id, due_at) SELECT database_id, id, now() FROM users`
  if (users * eventsOfUser >= 1_000) await prisma.$executeRaw`ANALYZE usher.outbox, usher.outbox_stream`
}
