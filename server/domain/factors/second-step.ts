import type { SecondFactorProof } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { ifStepMissing } from '../second-factor/challenge.js'
import { type SecondStep, SecondStepMissing } from '../tokens/authentication.js'
import { verifyProof } from './verify-proof.js'

interface Login<Result> {
  /** Of the login or the reset: a passkey signs for it. */
  id: string
  /** That of a login at a provider. */
  connection?: string
  /** The proof in the request, if there is one. */
  proof: SecondFactorProof | null | undefined
  /** Logs in and changes what the login changes, or throws and changes nothing. It gets the second step if that was verified. */
  run: (second?: SecondStep) => Promise<Result>
}

/**
 * Runs a login by other means than a password. If the user needs a second step, nothing of it happens before the proof in the same
 * request is verified.
 *
 * @throws {Problem} `second_factor_required`; `enrolment_required`; `second_factor_invalid`; `too_many_attempts`
 */
export async function withSecondStep<Result>(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { id, connection, proof, run }: Login<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const isMissing = error instanceof SecondStepMissing && error.code === 'second_factor_required'
    if (!isMissing || proof == null)
      return ifStepMissing(context, request.database, { id, connection })(error)
    const { id: userId } = error.user
    const { way } = await verifyProof(context, request, {
      purpose: 'passkey_second_step',
      of: id,
      userId,
      proof,
      path: 'secondFactor',
    })
    return run({ userId, way })
  }
}
