/** A command that cannot be carried out. The message says what is wrong and what to do. */
export class OperatorError extends Error {}

/** A usage error, which does not depend on the store. */
export class UsageError extends OperatorError {}
