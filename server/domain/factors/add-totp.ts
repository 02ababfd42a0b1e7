import type { AddedFactor, AddTotpBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import type { AppContext } from '../context.js'
import { openDataCipher } from '../keys/data-key.js'
import { readSignedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import { addFactor, type Enrolment, type EnrolRequest, requireEnrolment } from './add-factor.js'
import { secretOfEnrolment, stepOf } from './totp.js'
import { factorRow } from './verify-proof.js'

/**
 * Adds an authenticator app to a user who has proven to have it. Revokes all tokens and sessions, because a thief may have one.
 *
 * @throws {Problem} `challenge_invalid`; `second_factor_invalid`; `email_not_verified`; `token_missing` if no login has demanded it
 */
export async function addTotp(context: AppContext, request: EnrolRequest<AddTotpBody>): Promise<AddedFactor> {
  const { database, body } = request
  const databaseId = database.id
  const at = context.now()
  const secrets = await context.findSecrets(databaseId)
  const read = { purpose: 'totp_enrolment', text: body.challenge, now: at } as const
  const signed = readSignedValue<Enrolment>(secrets, read)
  const enrolment = requireEnrolment(signed?.value, request)
  const secret = secretOfEnrolment(secrets, enrolment.id, signed?.place)
  const step = await stepOf(secret, body.totp, at)
  if (step === undefined) throw new Problem('second_factor_invalid')
  // Before the transaction, in which a store with one connection could not read them.
  const cipher = await openDataCipher(context.store, databaseId, new Date(at))
  const id = uuidv7()
  return addFactor(context, request, {
    enrolment,
    factor: {
      databaseId,
      id,
      userId: enrolment.userId,
      kind: 'totp',
      name: body.name ?? null,
      sealedSecret: cipher.seal(secret, factorRow(databaseId, id)),
      lastStep: step,
      createdAt: new Date(at),
    },
    way: 'otp',
    at,
  })
}
