import { randomUUID } from 'node:crypto'
import type { EnrolledTotp, EnrolTotpBody } from '@usher/contract'
import type { AppContext } from '../context.js'
import { appNameOf } from '../databases/relying-party.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import type { Enrolment, EnrolRequest } from './add-factor.js'
import { requireEnroller } from './require-enroller.js'
import { describeSecret, secretOfEnrolment } from './totp.js'

const lifetimeMilliseconds = 600_000

/**
 * Returns a new secret for an authenticator app. Stores nothing.
 *
 * @throws {Problem} those of `requireEnroller`
 */
export async function enrolTotp(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
): Promise<EnrolledTotp> {
  const { database } = request
  const { user, proven } = await requireEnroller(context, request, 'totp')
  // The secret is derived from it.
  const id = randomUUID()
  const now = context.now()
  const expiresAt = now + lifetimeMilliseconds
  const secrets = await context.findSecrets(database.id)
  const enrolment = { ...proven, id, expiresAt } satisfies Enrolment
  const challenge = signedValue(secrets, 'totp_enrolment', enrolment)
  const place = readSignedValue(secrets, { purpose: 'totp_enrolment', text: challenge, now })?.place
  const issuer = await appNameOf(context, database)
  const described = await describeSecret(secretOfEnrolment(secrets, id, place), { issuer, label: user.email })
  return { challenge, ...described, expiresAt: new Date(expiresAt).toISOString() }
}
