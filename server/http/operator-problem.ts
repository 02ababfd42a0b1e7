import { isProblemCode } from '@usher/contract'
import { FieldsRejected, OperatorError, type OperatorErrorCode } from '../domain/management/operator-error.js'
import { databaseDeleted, Problem, validationFailed } from '../domain/problem.js'

/** A database that the server still has cached. The names of others, which the error may suggest, are not shown. */
const goneDatabase: OperatorErrorCode[] = ['database_not_found', 'database_being_deleted']

/** Returns the problem of an error of the rules that commands and the management API share. */
export function operatorProblem(error: unknown): Problem | undefined {
  if (!(error instanceof OperatorError)) return undefined
  if (error instanceof FieldsRejected) return validationFailed(error.errors)
  const { code, summary, reason, cause } = error
  if (goneDatabase.includes(code)) return databaseDeleted(error)
  // Without the advice, which names a command.
  const detail = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  if (isProblemCode(code)) return new Problem(code, { detail, cause })
  return new Problem(reason === 'invalid' ? 'validation_failed' : 'refused', { detail, cause })
}
