import { stdSerializers } from 'pino'

/**
 * Returns what the log shows of an error. Other properties are left out: Postgres adds the values of the row that violates
 * a constraint.
 */
export function loggedError(error: Error) {
  const { type, message, stack, code, table, constraint } = stdSerializers.err(error)
  return { type, message, stack, code, table, constraint }
}
