import { randomUUID } from 'node:crypto'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'

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
