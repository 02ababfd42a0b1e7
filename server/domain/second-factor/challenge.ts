import { randomUUID } from 'node:crypto'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import { type Proven, SecondStepMissing } from '../tokens/authentication.js'

/** What the first step of a login has shown. It is signed text, so that any server can finish the login. */
export interface FirstStep extends Pick<Proven, 'amr'> {
  userId: string
  /** A revocation since then ends the challenge. */
  generation: number
  /** The id of the token, so that a challenge opens one session. */
  tokenId: string
  expiresAt: number
}

type Code = SecondStepMissing['code']
type Context = Pick<AppContext, 'findSecrets' | 'now'>

/** How long the second step of a login may take. */
const lifetimeSeconds = 300

const purposes = { second_factor_required: 'second_step', enrolment_required: 'enrolment' } as const

/**
 * Returns a handler that turns a missing step into its problem.
 *
 * @param takesProof whether the operation takes the proof itself. Then it gives no challenge to finish the login elsewhere
 */
export const ifStepMissing =
  (context: Context, database: Pick<Database, 'id'>, { takesProof = false } = {}) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof SecondStepMissing)) throw error
    const { code } = error
    const isEnrolment = code === 'enrolment_required'
    const challenge = takesProof && !isEnrolment ? null : await challengeOf(context, database, error)
    throw new Problem(code, {
      secondFactor: {
        challenge,
        expiresIn: challenge === null ? null : lifetimeSeconds,
        methods: isEnrolment ? [] : ['totp', 'recoveryCode'],
      },
    })
  }

async function challengeOf(
  { findSecrets, now }: Context,
  { id }: Pick<Database, 'id'>,
  { code, user, proven }: SecondStepMissing,
) {
  const { id: userId, generation } = user
  return signedValue(await findSecrets(id), purposes[code], {
    userId,
    generation,
    amr: proven.amr,
    tokenId: randomUUID(),
    expiresAt: now() + lifetimeSeconds * 1000,
  } satisfies FirstStep)
}

/** Returns what the first step has shown. @throws {Problem} `challenge_invalid` */
export async function requireFirstStep(
  { findSecrets, now }: Context,
  { id }: Pick<Database, 'id'>,
  { code, challenge }: { code: Code; challenge: string },
) {
  const read = { purpose: purposes[code], text: challenge, now: now() }
  const signed = readSignedValue<FirstStep>(await findSecrets(id), read)
  if (!signed) throw new Problem('challenge_invalid')
  return signed.value
}
