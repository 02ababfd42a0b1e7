/**
 * Returns a condition that Postgres does not look up by an index, for statements that find rows by a key.
 *
 * By statistics that are older than most rows, hardly any row is later than an instant. The planner would then read all later
 * rows by the index of their time. From Postgres 18 on, it also looks up a purpose by an index with another column before it,
 * and would then read all rows of a purpose in a database that has grown.
 */
export const unindexed = (condition: string) => `(${condition}) IS TRUE`
