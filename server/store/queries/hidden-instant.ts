/**
 * Returns an expression for an instant that the planner does not know.
 *
 * Statistics that are older than most rows say that hardly any row is later than the instant. The planner would then read
 * all later rows by an index of their time, instead of the few rows with a key.
 */
export const hiddenInstant = (parameter: string) => `(SELECT ${parameter}::timestamptz)`
