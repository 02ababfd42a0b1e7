import type { FieldError } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { type NewPassword, passwordErrors } from '../passwords/policy.js'

/**
 * Returns all errors of a body that the contract has rejected: the contract's, and those of the database's password
 * policy if the new password passed the contract.
 */
export async function newPasswordErrors(
  { blocklist }: AppContext,
  { database, body, field }: { database: Database; body: unknown; field: NewPassword['field'] },
  contractErrors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  if (contractErrors.some(({ path }) => path === '' || path === field)) return contractErrors
  const { email, [field]: password } = body as { password: string; newPassword: string; email?: unknown }
  return [...contractErrors, ...(await passwordErrors(blocklist, database, { password, email, field }))]
}
