import { CreateUserBody } from '@usher/contract'
import type { AppContext } from '../../context.js'
import type { Database } from '../../databases/find-database.js'
import { passwordErrors } from '../../passwords/policy.js'
import { OperatorError } from '../operator-error.js'

/** @throws {OperatorError} with the rules of the policy that the password violates */
export async function hashNewPassword(
  { hashing, blocklist }: Pick<AppContext, 'hashing' | 'blocklist'>,
  database: Pick<Database, 'passwordPolicy'>,
  { password, email }: { password: string; email: string },
) {
  const policyErrors = await passwordErrors(blocklist, database, { password, email, field: 'password' })
  const errors = policyErrors.map(({ detail }) => detail)
  const text = CreateUserBody.shape.password.safeParse(password)
  if (errors.length === 0 && text.error) errors.push(...text.error.issues.map(({ message }) => message))
  if (errors.length > 0) throw new OperatorError('password_rejected', `the password ${errors.join('; ')}`)
  return hashing.hash(password)
}
