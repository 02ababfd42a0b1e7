import type { EnrolTotpBody } from '@usher/contract'
import { findFactors } from '../../store/queries/factors.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { type Enrolment, type EnrolRequest, mostFactors, requireOwnAddress } from './add-factor.js'
import { confirmUser } from './confirm.js'
import { requireFirstStep } from './step.js'
import { findUserAndNetwork } from './verify-proof.js'

/** Who enrols a factor. */
interface Enroller {
  user: { id: string; email: string; emailVerifiedAt: Date | null }
  /** What the caller has proven: in the first step of a login, or as the user of a token. */
  proven: Omit<Enrolment, 'id' | 'factors' | 'expiresAt'>
}

/**
 * Returns who enrols a factor.
 *
 * @throws {Problem} `token_missing` without a token and a challenge; those of `confirmUser`; `challenge_invalid`; `email_not_verified`;
 * `factors_full`
 */
export async function requireEnroller(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
  kind: keyof typeof mostFactors,
) {
  const { user, proven } = await findEnroller(context, request)
  requireOwnAddress(request.database, user)
  const factors = await findFactors(context.store, { databaseId: request.database.id, userId: user.id })
  // The login demanded the first factor, and another request has added it.
  if (proven.tokenId !== undefined && factors.length > 0) throw new Problem('challenge_invalid')
  if (factors.filter((each) => each.kind === kind).length >= mostFactors[kind])
    throw new Problem('factors_full')
  return { user, proven: { ...proven, factors: factors.length }, factors }
}

async function findEnroller(context: AppContext, request: EnrolRequest<EnrolTotpBody>): Promise<Enroller> {
  const { database, body, user, claims } = request
  const { challenge } = body
  if (challenge === undefined) {
    if (!user || !claims) throw new Problem('token_missing')
    const { amr } = await confirmUser(context, { ...request, user, claims }, body)
    return { user, proven: { userId: user.id, generation: user.generation, amr } }
  }
  const first = await requireFirstStep(context, database, { code: 'enrolment_required', challenge })
  const { userId, generation, expiresAt: _, ...more } = first
  const { user: found } = await findUserAndNetwork(context, request, userId)
  if (found?.generation !== generation) throw new Problem('challenge_invalid')
  return { user: found, proven: { userId, generation, ...more } }
}
