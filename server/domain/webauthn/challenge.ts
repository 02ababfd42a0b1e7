import { randomUUID } from 'node:crypto'
import type { AuthenticationResponseJSON } from '@usher/contract'
import { acceptSignature, type Passkey } from '../../store/queries/passkeys.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import type { RelyingParty } from '../databases/relying-party.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import type { DatabaseRequest } from '../request.js'
import { type ClientData, RefusedResponse } from './signed-data.js'
import { verifyAssertion } from './verify.js'

/** What a passkey is asked to sign for. A signature for one purpose is never valid for another. */
type PasskeyPurpose = 'passkey_login' | 'passkey_second_step' | 'passkey_step_up' | 'passkey_enrolment'

/** A challenge is signed text, so that any server can verify the response, and nothing is stored before. */
export interface PasskeyChallenge {
  /** It is accepted once. */
  id: string
  expiresAt: number
}

/** How long a challenge is valid: long enough for a passkey on another device (WebAuthn, section 15.1). */
export const challengeMilliseconds = 300_000

/** Returns a challenge as `options.challenge` has it: base64url of the signed text. */
export async function challengeText<Content extends object>(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { id }: Pick<Database, 'id'>,
  { purpose, ...content }: Content & { purpose: PasskeyPurpose },
) {
  const value = { id: randomUUID(), expiresAt: now() + challengeMilliseconds, ...content }
  const text = signedValue(await findSecrets(id), purpose, value)
  return Buffer.from(text).toString('base64url')
}

/** Returns what a signed challenge contains. Undefined if it is none of the purpose, or has expired. */
export async function readChallenge<Content extends object = object>(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  { id }: Pick<Database, 'id'>,
  { purpose, challenge }: { purpose: PasskeyPurpose; challenge: string },
) {
  const text = Buffer.from(challenge, 'base64url').toString()
  return readSignedValue<PasskeyChallenge & Content>(await findSecrets(id), { purpose, text, now: now() })
    ?.value
}

/** What a browser has returned for a challenge. */
interface Assertion {
  response: AuthenticationResponseJSON
  passkey: Passkey
  challenge: PasskeyChallenge
  rp: RelyingParty
  clientData: ClientData
  needsVerification: boolean
}

/** Verifies the signature of a passkey, and uses its challenge up. @throws {RefusedResponse} */
export async function acceptAssertion(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { response, passkey, challenge, ...signed }: Assertion,
) {
  const { signCount } = await verifyAssertion(response, passkey, signed)
  const databaseId = database.id
  const { id: factorId, userId } = passkey
  const verified = { databaseId, challenge, factorId, signCount, now: new Date(now()) }
  const { isUnused, isAccepted } = await acceptSignature(store, verified)
  if (!isUnused) throw new RefusedResponse('The challenge was used before.')
  if (isAccepted) return
  audit(caller.log, 'passkey.refused', { databaseId, userId })
  throw new RefusedResponse('The passkey was removed, or its counter has not risen: it may have been copied.')
}
