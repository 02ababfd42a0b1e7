import type { Confirmation } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { acrOf, type Proven } from '../tokens/authentication.js'

/** What a confirmation says: who was there, in which session, and what the user has proven. */
interface Confirmed extends Pick<Proven, 'amr'> {
  userId: string
  generation: number
  sessionId: string
  expiresAt: number
  /** The only thing that it confirms. Undefined: every change. */
  use?: string
}

const maxAgeSeconds = 600

/** What a confirmation is for. */
export interface NewConfirmation {
  user: { id: string; generation: number }
  /** The `sid` of the session, or the `jti` of the token that may open it. */
  tokenId: string
  /** What the user has just proven. */
  amr: readonly string[]
  /** In milliseconds since the epoch. By default in 10 minutes. A change must not prolong the confirmation that it needed. */
  expiresAt?: number | undefined
  /** The only thing that it confirms. By default every change. */
  use?: string
}

/**
 * Returns a confirmation for changes in a session. A client sends it only to Usher: an access token would not do, because each
 * backend of the product sees it.
 */
export async function issueConfirmation(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { id }: Pick<Database, 'id'>,
  { user, tokenId, amr, ...given }: NewConfirmation,
): Promise<Confirmation> {
  const at = now()
  const { expiresAt = at + maxAgeSeconds * 1000, use } = given
  const value = signedValue(await findSecrets(id), 'confirmation', {
    userId: user.id,
    generation: user.generation,
    sessionId: tokenId,
    amr,
    expiresAt,
    ...(use && { use }),
  } satisfies Confirmed)
  return { value, maxAge: Math.max(0, Math.floor((expiresAt - at) / 1000)) }
}

/**
 * Returns what a confirmation of the user and the session of a request says.
 *
 * @param use what it must be for. By default every change
 * @throws {Problem} `step_up_required`
 */
export async function requireConfirmation(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { database, user, claims }: UserRequest,
  { text, use }: { text: string; use?: string | undefined },
): Promise<Pick<Confirmed, 'amr' | 'expiresAt'>> {
  const read = { purpose: 'confirmation', text, now: now() } as const
  const signed = readSignedValue<Confirmed>(await findSecrets(database.id), read)
  const isOf =
    signed?.value.userId === user.id &&
    signed.value.generation === user.generation &&
    signed.value.use === use &&
    signed.value.sessionId === sessionIdOf(claims)
  if (!isOf) throw new Problem('step_up_required')
  return signed.value
}

/**
 * Requires a confirmation of the second factor, if the user has one.
 *
 * @returns what the confirmation says. Undefined if there is none, and none is needed
 * @throws {Problem} `step_up_required`
 */
export async function confirmSecondFactor(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  request: UserRequest,
  confirmation: string | null | undefined,
) {
  const { database, user } = request
  const confirmed =
    confirmation == null ? undefined : await requireConfirmation(context, request, { text: confirmation })
  const hasFactor = database.secondFactor !== 'off' && user.needsSecondStep !== null
  if (hasFactor && (!confirmed || acrOf({ amr: confirmed.amr }) !== 'aal2'))
    throw new Problem('step_up_required')
  return confirmed
}
