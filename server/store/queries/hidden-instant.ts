/**
 * Returns an expression for an instant that the planner does not know.
 *
 * By statistics that are older than most rows, hardly any row is later than an instant. Then the planner would read all of
 * these by their time, instead of those that have a key.
 */
export const hiddenInstant = (parameter: string) => `(SELECT ${parameter}::timestamptz)`
