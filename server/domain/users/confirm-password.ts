import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { authenticate } from './authenticate.js'
import { requireCanonicalEmail } from './canonical-email.js'

/**
 * Verifies the password of a logged-in user, under the throttle of logins: who has a stolen token must not be able to
 * guess it.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`
 */
export async function confirmPassword(context: AppContext, request: UserRequest, password: string) {
  const { id, email } = request.user
  const canonicalEmail = requireCanonicalEmail(email)
  const authenticated = await authenticate(context, request, { canonicalEmail, password })
  if (authenticated?.user.id !== id) throw new Problem('invalid_credentials')
}
