import { randomUUID } from 'node:crypto'
import type {
  ConfirmedUser,
  SecondFactorMethod,
  SecondFactorProof,
  VerifySecondFactorBody,
} from '@usher/contract'
import { findFactors } from '../../store/queries/factors.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { type PasskeyProof, proofOptions } from '../passkeys/options.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import {
  type Amr,
  Authentication,
  missingStep,
  type Proven,
  type SecondStep,
  SecondStepMissing,
  type SecondStepUser,
} from '../tokens/authentication.js'
import { confirmedUser } from './confirm.js'
import { verifyProof } from './verify-proof.js'

/** What the first step of a login has shown. It is signed text, so that any server can finish the login. */
export interface FirstStep extends Pick<Proven, 'amr'> {
  userId: string
  /** A revocation since then ends the challenge. */
  generation: number
  /** The id of the token, so that a challenge opens one session. */
  tokenId: string
  /** That of a login at a provider, which must be enabled still. */
  connection?: string
  expiresAt: number
}

type Code = SecondStepMissing['code']
type PasskeyDatabase = Pick<Database, 'id' | 'passkeyDomain' | 'passkeyOrigins' | 'appUrl'>
type Context = Pick<AppContext, 'store' | 'findSecrets' | 'now'>

/** How long the second step of a login may take. */
const lifetimeSeconds = 300

/** A login or a reset that takes the proof in the same request. */
interface OneRequest {
  id: string
  connection?: string | null
}

const purposes = { second_factor_required: 'second_step', enrolment_required: 'enrolment' } as const

/**
 * Returns a handler that turns a missing step into its problem.
 *
 * @param login what takes the proof itself. Then there is no challenge to finish the login elsewhere
 */
export const ifStepMissing =
  (context: Context, database: PasskeyDatabase, login?: OneRequest) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof SecondStepMissing)) throw error
    const { code } = error
    const isEnrolment = code === 'enrolment_required'
    const { id: userId, generation } = error.user
    const step = {
      userId,
      generation,
      amr: error.proven.amr,
      tokenId: randomUUID(),
      ...(login?.connection && { connection: login.connection }),
      expiresAt: context.now() + lifetimeSeconds * 1000,
    } satisfies FirstStep
    const challenge =
      login && !isEnrolment ? null : signedValue(await context.findSecrets(database.id), purposes[code], step)
    throw new Problem(code, {
      secondFactor: {
        challenge,
        expiresIn: challenge === null ? null : lifetimeSeconds,
        ...(isEnrolment
          ? { methods: [] }
          : await provableBy(context, database, {
              purpose: 'passkey_second_step',
              userId,
              // The request has another proof, which a revocation ends.
              ...(login ? { of: login.id } : { of: step.tokenId, generation }),
            })),
      },
    })
  }

/** Returns the methods by which a user can prove a second factor, and what a browser needs for a passkey. */
export async function provableBy(context: Context, database: PasskeyDatabase, proof: PasskeyProof) {
  const factors = await findFactors(context.store, { databaseId: database.id, userId: proof.userId })
  const options = await proofOptions(context, database, { ...proof, factors })
  const methods: SecondFactorMethod[] = ['recoveryCode']
  if (factors.some(({ kind }) => kind === 'totp')) methods.unshift('totp')
  if (options) methods.unshift('passkey')
  return { methods, ...(options && { options }) }
}

/** Returns what the first step has shown. @throws {Problem} `challenge_invalid` */
export async function requireFirstStep(
  { findSecrets, now }: Pick<Context, 'findSecrets' | 'now'>,
  { id }: Pick<Database, 'id'>,
  { code, challenge }: { code: Code; challenge: string },
) {
  const read = { purpose: purposes[code], text: challenge, now: now() }
  const signed = readSignedValue<FirstStep>(await findSecrets(id), read)
  if (!signed) throw new Problem('challenge_invalid')
  return signed.value
}

/** A login by other means than a password, or a reset, whose first step is proven. */
interface ProvenFirst extends OneRequest {
  user: SecondStepUser
  way: Amr
  /** The proof in the request, if there is one. */
  proof: SecondFactorProof | null | undefined
}

/**
 * Verifies the second step of a login that takes its proof in the same request, and uses the proof up: only what changes meanwhile
 * may still refuse the login.
 *
 * @returns undefined if the user needs no second step
 * @throws {Problem} `second_factor_required`; `enrolment_required`; `second_factor_invalid`; `too_many_attempts`
 */
export async function proveStep(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { user, way, proof, ...login }: ProvenFirst,
): Promise<SecondStep | undefined> {
  const { database } = request
  const at = context.now()
  const missing = missingStep(database, user, at)
  if (!missing) return undefined
  if (missing === 'enrolment_required' || proof == null)
    return ifStepMissing(context, database, login)(new SecondStepMissing(missing, user, { amr: [way], at }))
  const { id: userId } = user
  const presented = { purpose: 'passkey_second_step', of: login.id, userId, proof } as const
  const proven = await verifyProof(context, request, { ...presented, path: 'secondFactor' })
  return { userId, way: proven.way }
}

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
