/** A command that cannot be carried out. The message says what is wrong and what to do. */
export class OperatorError extends Error {}

/** A command that is wrong whatever the store holds. */
export class UsageError extends OperatorError {}

/** A command that was carried out in part, and has reported the rest already. */
export class PartialFailureError extends Error {}
