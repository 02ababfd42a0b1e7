import { randomUUID } from 'node:crypto'
import type { EnrolledTotp, EnrolTotpBody } from '@usher/contract'
import { findFactors } from '../../store/queries/factors.js'
import { findMailSettings } from '../../store/queries/mail-settings.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { requireFirstStep } from '../second-factor/challenge.js'
import type { Proven } from '../tokens/authentication.js'
import { confirmUser } from '../users/authenticate.js'
import { describeSecret, secretOfEnrolment } from './totp.js'
import { findUserAndNetwork } from './verify-proof.js'

/** Authenticator apps of a user. Each one gives a guess as many chances more. */
export const mostTotps = 2

const lifetimeMilliseconds = 600_000

/** What `enrolTotp` has found out. `addTotp` gets it back as signed text. */
export interface Enrolment extends Pick<Proven, 'amr'> {
  /** The secret is derived from it. */
  id: string
  userId: string
  generation: number
  /** The id of the token, if this is the end of a login. Otherwise the request has a token. */
  tokenId?: string
  expiresAt: number
}

export type EnrolRequest<Body> = DatabaseRequest<Body> & Partial<UserRequest>

/**
 * Returns a new secret for an authenticator app. Stores nothing.
 *
 * @throws {Problem} `token_missing` without a token and a challenge; those of `confirmUser`; `challenge_invalid`; `factors_full`
 */
export async function enrolTotp(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
): Promise<EnrolledTotp> {
  const { database } = request
  const { email, ...proven } = await requireProven(context, request)
  const databaseId = database.id
  const factors = await findFactors(context.store, { databaseId, userId: proven.userId })
  if (factors.length >= mostTotps) throw new Problem('factors_full')
  const id = randomUUID()
  const expiresAt = context.now() + lifetimeMilliseconds
  const secrets = await context.findSecrets(databaseId)
  const enrolment = { ...proven, id, expiresAt } satisfies Enrolment
  const challenge = signedValue(secrets, 'totp_enrolment', enrolment)
  const place = readSignedValue(secrets, {
    purpose: 'totp_enrolment',
    text: challenge,
    now: context.now(),
  })?.place
  const issuer = await issuerOf(context, database)
  const described = await describeSecret(secretOfEnrolment(secrets, id, place), { issuer, label: email })
  return { challenge, ...described, expiresAt: new Date(expiresAt).toISOString() }
}

/** Returns what the caller has proven: in the first step of a login, or as the user of a token. */
async function requireProven(context: AppContext, request: EnrolRequest<EnrolTotpBody>) {
  const { database, body, user, claims } = request
  const { challenge } = body
  if (challenge === undefined) {
    if (!user || !claims) throw new Problem('token_missing')
    const { amr } = await confirmUser(context, { ...request, user, claims }, body)
    return { userId: user.id, email: user.email, generation: user.generation, amr }
  }
  const first = await requireFirstStep(context, database, { code: 'enrolment_required', challenge })
  const { userId, generation, amr, tokenId } = first
  const { user: found } = await findUserAndNetwork(context, request, userId)
  if (found?.generation !== generation) throw new Problem('challenge_invalid')
  return { userId, email: found.email, generation, amr, tokenId }
}

/** Returns the name under which apps list the secret. */
async function issuerOf({ store }: AppContext, { id, appUrl, databaseName }: Database) {
  const { appName } = (await findMailSettings(store, id)) ?? {}
  return appName ?? (appUrl ? new URL(appUrl).hostname : databaseName)
}
