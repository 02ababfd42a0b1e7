/** Something that the operator asked for and that cannot be done; the message says what and why. */
export class OperatorError extends Error {}

/** Something that cannot be asked for, whatever the store holds. */
export class UsageError extends OperatorError {}

/** Done in part; what was not has been told already. The exit code is 1. */
export class PartialFailureError extends Error {}
