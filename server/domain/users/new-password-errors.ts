import type { DatabasePath, FieldError } from '@usher/contract'
import type { AppContext } from '../context.js'
import { passwordErrors } from '../passwords/policy.js'

/**
 * Returns all errors of a body that the contract has rejected: the contract's, and those of the database's password
 * policy if the new password passed the contract.
 *
 * @param field the field of the new password
 * @throws {Problem} `database_not_found`
 */
export async function newPasswordErrors(
  context: AppContext,
  path: DatabasePath,
  body: unknown,
  contractErrors: readonly FieldError[],
  field: 'password' | 'newPassword',
): Promise<readonly FieldError[]> {
  if (contractErrors.some(({ path }) => path === '' || path === field)) return contractErrors
  const { email, [field]: password } = body as { password: string; newPassword: string; email?: unknown }
  const { passwordPolicy } = await context.findDatabase(path)
  const errors = await passwordErrors(passwordPolicy, password, email, context.blocklist, field)
  return [...contractErrors, ...errors]
}
