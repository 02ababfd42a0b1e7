/**
 * Returns a condition on a time that Postgres does not look up by an index.
 *
 * By statistics that are older than most rows, hardly any row is later than an instant. The planner would then read all later
 * rows by the index of their time, instead of the few rows with a key.
 */
export const unindexed = (condition: string) => `(${condition}) IS TRUE`
