import type { ConfirmedUser, VerifySecondFactorBody } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { requireFirstStep } from '../second-factor/challenge.js'
import { Authentication } from '../tokens/authentication.js'
import { confirmedUser } from './confirmed-user.js'
import { verifyProof } from './verify-proof.js'

/**
 * Finishes a login whose first step was a password. Only now is the login audited, and its network known.
 *
 * @throws {Problem} `challenge_invalid`; `second_factor_invalid`; `too_many_attempts`; `validation_failed`
 */
export async function verifySecondFactor(
  context: AppContext,
  request: DatabaseRequest<VerifySecondFactorBody>,
): Promise<ConfirmedUser> {
  const { database, body } = request
  const { challenge, ...proof } = body
  const first = await requireFirstStep(context, database, { code: 'second_factor_required', challenge })
  const { userId, generation, amr, tokenId } = first
  // Before the proof, so that a revocation since then covers the token.
  const at = context.now()
  const purpose = 'passkey_second_step'
  const presented = { purpose, of: tokenId, userId, generation, proof } as const
  const { way, user, network } = await verifyProof(context, request, presented)
  return confirmedUser(context, request, {
    user,
    authentication: Authentication.afterSecondStep(user, amr, { way, at }),
    readAt: at,
    tokenId,
    network,
    event: 'login.succeeded',
  })
}
