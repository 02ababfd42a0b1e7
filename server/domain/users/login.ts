import type { LoginBody, SignedInUser } from '@usher/contract'
import { isForeignKeyViolation } from '../../store/errors.js'
import { findLogin } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import { type Database, databaseDeleted } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { requireCanonicalEmail } from './canonical-email.js'
import { signedIn } from './signed-in.js'
import { rehashPassword, verifyPassword } from './verify-password.js'

/**
 * Logs a user in (specification section 4.2). Replaces a hash whose algorithm or cost is not the current one.
 *
 * @throws {Problem} `invalid_credentials`, the same and after the same work for an unknown address, a wrong
 * password and a disabled user; `too_many_attempts`; `unavailable`
 */
export async function login(
  context: AppContext,
  database: Database,
  body: LoginBody,
  caller: Caller,
): Promise<SignedInUser> {
  const { store, throttle } = context
  const databaseId = database.id
  const canonicalEmail = requireCanonicalEmail(body.email)
  const attempt = throttle.attempt(databaseId, canonicalEmail, caller.address)
  const { user, failures } = await findLogin(store, databaseId, canonicalEmail, attempt)
  const subject = { databaseId, ...(user && { userId: user.id }) }
  const verify = () => verifyPassword(context, database, user, body.password, caller)
  let matches: boolean
  try {
    matches = await throttle.guard(databaseId, attempt, failures, verify)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw databaseDeleted(error)
    if (error instanceof Problem && error.code === 'too_many_attempts') {
      audit(caller.log, 'login.throttled', subject)
    }
    throw error
  }
  if (!user || !matches) {
    audit(caller.log, 'login.failed', subject)
    throw new Problem('invalid_credentials')
  }
  await rehashPassword(context, database, user, body.password, caller)
  audit(caller.log, 'login.succeeded', subject)
  return signedIn(context, database, user)
}
