import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { authenticate } from './authenticate.js'
import { requireCanonicalEmail } from './canonical-email.js'

/**
 * Verifies the password of a logged-in user, under the throttle of logins: who has a stolen token must not be able to
 * guess it.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`
 */
export async function confirmPassword(
  context: AppContext,
  database: Database,
  { id, email }: { id: string; email: string },
  password: string,
  caller: Caller,
) {
  const authenticated = await authenticate(context, database, requireCanonicalEmail(email), password, caller)
  if (authenticated?.user.id !== id) throw new Problem('invalid_credentials')
}
