import { createHash, randomUUID } from 'node:crypto'
import { foldEmail, type ProofHeaders, type WorkChallenge } from '@usher/contract'
import { useChallenge } from '../store/queries/used-challenges.js'
import type { AppContext } from './context.js'
import { readSignedValue, signedValue } from './keys/signed-text.js'
import { ifDatabaseDeleted, Problem } from './problem.js'
import type { DatabaseRequest } from './request.js'

/**
 * Zero bits of a proof: 32,768 attempts on average, 100,000 in the worst of twenty cases. docs/guides/bot-check.md says how long they
 * take.
 */
export const workBits = 15
const challengeMilliseconds = 300_000
const proofPattern = /^([\w-]{1,200}\.[\w-]{43})\.(\d{1,11})$/

/** A signed challenge. `bits` is in it, so that a later version can ask for others. */
interface Challenge {
  id: string
  bits: number
  expiresAt: number
}

/** An operation of a visitor that the bot check protects. */
interface Protected {
  operation: 'createUser' | 'requestPasswordReset' | 'requestLoginCode'
  /** Whose limits decide whether the check is needed. */
  purpose: 'sign_up' | 'password_reset' | 'login_code'
}

type Request = DatabaseRequest<{ email: string }> & { headers: ProofHeaders }

/** Returns a challenge. Nothing is stored. */
export async function getWork(
  { findSecrets, now }: AppContext,
  { database }: Pick<DatabaseRequest, 'database'>,
): Promise<WorkChallenge> {
  const value: Challenge = { id: randomUUID(), bits: workBits, expiresAt: now() + challengeMilliseconds }
  return { challenge: signedValue(await findSecrets(database.id), 'work', value), bits: workBits }
}

/**
 * Verifies the proof of work of a request, if it needs one, and uses it up. The address decides nothing, so that the answer is the same
 * for every address.
 *
 * @throws {Problem} `proof_required`; `proof_invalid`
 */
export async function requireProof(
  context: AppContext,
  request: Request,
  { operation, purpose }: Protected,
): Promise<void> {
  if (!isNeeded(context, request, purpose)) return
  const subject = `${operation} ${foldEmail(request.body.email)}`
  const proof = request.headers['usher-proof']
  if (proof !== undefined && (await isAccepted(context, request, { proof, subject }))) return
  throw new Problem(proof === undefined ? 'proof_required' : 'proof_invalid', {
    work: { kind: 'work', ...(await getWork(context, request)), subject },
  })
}

function isNeeded(
  { requestAllowance }: AppContext,
  { database, body, caller: { clientAddress } }: Request,
  purpose: Protected['purpose'],
) {
  const { botCheck } = database
  if (botCheck !== 'auto') return botCheck === 'always'
  if (purpose !== 'sign_up')
    return requestAllowance.isHalfUsed(database, { purpose, canonicalEmail: body.email, clientAddress })
  // Without a limit, sign-ups are not counted.
  return database.signUpsPerHour > 0 && requestAllowance.isHalfUsed(database, { purpose, clientAddress })
}

async function isAccepted(
  { findSecrets, store, now }: AppContext,
  { database: { id: databaseId } }: Request,
  { proof, subject }: { proof: string; subject: string },
) {
  const [, text = '', counter = ''] = proofPattern.exec(proof) ?? []
  if (!text) return false
  const secrets = await findSecrets(databaseId)
  const challenge = readSignedValue<Challenge>(secrets, { purpose: 'work', text, now: now() })?.value
  if (!challenge) return false
  const seed = createHash('sha256').update(`${text}\n${subject}`).digest('base64url')
  const first = createHash('sha256').update(`${seed}.${counter}`).digest().readUInt32BE()
  if (Math.clz32(first) < challenge.bits) return false
  const { id, expiresAt } = challenge
  return useChallenge(store, { databaseId, id, expiresAt: new Date(expiresAt) }).catch(ifDatabaseDeleted())
}
