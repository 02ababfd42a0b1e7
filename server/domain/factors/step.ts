import { randomUUID } from 'node:crypto'
import type {
  BegunStepUp,
  ConfirmedUser,
  SecondFactorProof,
  StepUpBody,
  VerifySecondFactorBody,
} from '@usher/contract'
import { stepUpSession } from '../../store/queries/sessions.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'
import {
  type Amr,
  Authentication,
  missingStep,
  type Proven,
  type SecondStep,
  SecondStepMissing,
  type SecondStepUser,
} from '../tokens/authentication.js'
import { confirmedUser, provePassword, verifyPassword } from './confirm.js'
import type { PasskeyDatabase } from './kind.js'
import { provableBy, verifyProof } from './prove.js'

/** What the first step of a login has shown. It is signed text, so that any server can finish the login. */
interface FirstStep extends Pick<Proven, 'amr'> {
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
 * Lets the user of a token prove again to be there: by a second factor and, if given, the password, or by the password without a factor.
 * The session of the token keeps it. A user with neither has nothing to prove, so only a login renews what the token says.
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
  const { amr: former, tenants } = claims.proven
  if (database.secondFactor === 'off' || user.needsSecondStep === null) {
    const given = await provePassword(context, request, password)
    if (!given) throw new Problem('recent_login_required')
    const { amr } = given
    const proven = { amr: [...new Set([...former, ...amr])], at, tenants }
    return { authentication: Authentication.ofToken(user, proven), confirmed: { amr } }
  }
  // First, because a code of an app is used up. The network is not known before the second step.
  const first = password !== undefined && (await verifyPassword(context, request, password))
  const { way } = await verifyProof(context, request, { ...proofOf(user, claims), proof })
  // The session shows the first factor, and the confirmation only what the user has proven now.
  const authentication = Authentication.afterSecondStep(user, former, { way, at, tenants })
  return { authentication, confirmed: { amr: [...(first ? ['pwd'] : []), way, 'mfa'] } }
}
