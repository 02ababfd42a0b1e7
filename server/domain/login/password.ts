import type { LoginBody, SignedInUser } from '@usher/contract'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { authenticate } from '../passwords/authenticate.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'

/**
 * Logs a user in (docs/specification.md, section 4.2).
 *
 * @throws {Problem} `invalid_credentials`, the same and after the same work for an unknown address, a wrong
 * password and a disabled user; `too_many_attempts`; `unavailable`
 */
export async function login(context: AppContext, request: DatabaseRequest<LoginBody>): Promise<SignedInUser> {
  const { database, body } = request
  const canonicalEmail = requireCanonicalEmail(body.email)
  const authenticated = await authenticate(context, request, { canonicalEmail, password: body.password })
  if (!authenticated) throw new Problem('invalid_credentials')
  const { user, readAt: at } = authenticated
  return completeLogin(context, request, {
    ...authenticated,
    authentication: Authentication.afterFirstStep(database, user, { way: 'pwd', at }),
    event: 'login.succeeded',
  })
}
