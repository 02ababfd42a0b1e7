import type { BegunStepUp, ConfirmedUser, StepUpBody } from '@usher/contract'
import { stepUpSession } from '../../store/queries/sessions.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { Authentication } from '../tokens/authentication.js'
import { confirmedUser, provePassword } from './confirm.js'
import { provableBy } from './step.js'
import { verifyProof } from './verify-proof.js'

/** Returns what the user of a token can prove. Stores nothing. */
export async function beginStepUp(
  context: AppContext,
  { database, user, claims }: UserRequest,
): Promise<BegunStepUp> {
  if (user.needsSecondStep === null) return { methods: [] }
  return provableBy(context, database, proofOf(user, claims))
}

/** Returns what a passkey signs for: the session of a token. */
const proofOf = ({ id: userId, generation }: UserRequest['user'], claims: UserRequest['claims']) =>
  ({ purpose: 'passkey_step_up', of: sessionIdOf(claims), userId, generation }) as const

/**
 * Lets the user of a token prove again to be there: by a second factor, or by the password without one. The session of the token keeps
 * it. A user with neither has nothing to prove, so only a login renews what the token says.
 *
 * @throws {Problem} `second_factor_invalid`; `too_many_attempts`; `validation_failed`; `recent_login_required`; `token_invalid` if the
 * session has ended meanwhile
 */
export async function stepUp(context: AppContext, request: UserRequest<StepUpBody>): Promise<ConfirmedUser> {
  const { database, user, claims } = request
  const at = context.now()
  const { authentication, confirmed } = await proveAgain(context, request, at)
  // The token of a login may have opened the session that has its id.
  const id = sessionIdOf(claims)
  const proven = { amr: authentication.amr, provenAt: new Date(at) }
  const session = await stepUpSession(context.store, { databaseId: database.id, id, user }, proven)
  if (!session && claims.sessionId) throw new Problem('token_invalid')
  return confirmedUser(context, request, {
    user: { ...user, disabledAt: null },
    authentication,
    readAt: at,
    tokenId: id,
    session,
    confirmed,
  })
}

async function proveAgain(context: AppContext, request: UserRequest<StepUpBody>, at: number) {
  const { database, user, claims, body } = request
  const { password, ...proof } = body
  const former = claims.proven.amr
  if (database.secondFactor === 'off' || user.needsSecondStep === null) {
    const given = await provePassword(context, request, password)
    if (!given) throw new Problem('recent_login_required')
    const { amr } = given
    const proven = { amr: [...new Set([...former, ...amr])], at }
    return { authentication: Authentication.ofToken(user, proven), confirmed: { amr } }
  }
  const { way } = await verifyProof(context, request, { ...proofOf(user, claims), proof })
  // The session shows the first factor, and the confirmation only what the user has proven now.
  const authentication = Authentication.afterSecondStep(user, former, { way, at })
  return { authentication, confirmed: { amr: [way, 'mfa'] } }
}
