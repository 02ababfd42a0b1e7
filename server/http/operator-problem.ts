import { isProblemCode } from '@usher/contract'
import { FieldsRejected, OperatorError, type OperatorErrorCode } from '../domain/management/operator-error.js'
import { databaseDeleted, Problem, validationFailed } from '../domain/problem.js'

/** Errors of a database that was deleted while the server had it cached. They may suggest names of other databases. */
const deletedDatabase: OperatorErrorCode[] = ['database_not_found', 'database_being_deleted']

/** Returns the problem of an error of the rules that commands and the management API share. */
export function operatorProblem(error: unknown): Problem | undefined {
  if (!(error instanceof OperatorError)) return undefined
  if (error instanceof FieldsRejected) return validationFailed(error.errors)
  const { code, summary, reason, cause } = error
  if (deletedDatabase.includes(code)) return databaseDeleted(error)
  // Without the advice, which names a command.
  const detail = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  if (isProblemCode(code)) return new Problem(code, { detail, cause })
  return new Problem(reason === 'invalid' ? 'validation_failed' : 'refused', { detail, cause })
}
