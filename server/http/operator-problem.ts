import { everyProblem } from '@usher/contract'
import { FieldsRejected, OperatorError } from '../domain/management/operator-error.js'
import { Problem, validationFailed } from '../domain/problem.js'

/** Returns the problem of an error of the rules that commands and the management API share. */
export function operatorProblem(error: unknown): Problem | undefined {
  if (!(error instanceof OperatorError)) return undefined
  if (error instanceof FieldsRejected) return validationFailed(error.errors)
  const { code, message, reason, cause } = error
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  if (isProblemCode(code)) return new Problem(code, { detail, cause })
  return new Problem(reason === 'invalid' ? 'validation_failed' : 'refused', { detail, cause })
}

const isProblemCode = (code: string): code is Problem['code'] => Object.hasOwn(everyProblem, code)
