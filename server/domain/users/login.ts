import type { LoginBody, SignedInUser } from '@usher/contract'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { authenticate } from './authenticate.js'
import { requireCanonicalEmail } from './canonical-email.js'
import { signedIn } from './signed-in.js'

/**
 * Logs a user in (docs/specification.md, section 4.2).
 *
 * @throws {Problem} `invalid_credentials`, the same and after the same work for an unknown address, a wrong
 * password and a disabled user; `too_many_attempts`; `unavailable`
 */
export async function login(
  context: AppContext,
  { database, caller, body }: DatabaseRequest<LoginBody>,
): Promise<SignedInUser> {
  const email = requireCanonicalEmail(body.email)
  const authenticated = await authenticate(context, database, email, body.password, caller)
  if (!authenticated) throw new Problem('invalid_credentials')
  const { user, readAt } = authenticated
  audit(caller.log, 'login.succeeded', { databaseId: database.id, userId: user.id })
  return signedIn(database, user, readAt)
}
