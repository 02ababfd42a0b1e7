/** Something that the operator asked for and that cannot be done; the message says what and why. */
export class OperatorError extends Error {}
