/** Why an operator's request fails, for each interface to these rules: an exit code or a status. */
export type FailureReason =
  /** The request itself is wrong, whatever the store has. */
  | 'invalid'
  /** Something that the request names does not exist. */
  | 'not_found'
  /** Something of that name exists. */
  | 'conflict'
  /** The state of the store does not allow it. */
  | 'refused'

/** A request of an operator that cannot be carried out. The message says what is wrong and what to do. */
export class OperatorError extends Error {
  constructor(
    message: string,
    readonly reason: FailureReason = 'refused',
  ) {
    super(message)
  }
}

/** A usage error, which does not depend on the store. */
export class UsageError extends OperatorError {
  constructor(message: string) {
    super(message, 'invalid')
  }
}
