import type { PublicKeyCredentialRequestOptionsJSON } from '@usher/contract'
import type { ListedFactor } from '../../store/queries/factors.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { relyingPartyOf } from '../databases/relying-party.js'
import { challengeMilliseconds, challengeText } from './challenge.js'

/** Returns how browsers find the passkeys among factors that work at a domain. */
export const descriptorsOf = (factors: readonly ListedFactor[], domain: string) =>
  factors.flatMap((factor) =>
    factor.kind === 'passkey' && factor.domain === domain
      ? [{ type: 'public-key' as const, id: base64url(factor.credentialId), transports: factor.transports }]
      : [],
  )

export const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** What a passkey of a user proves: that the user is there, in a second step or again. */
export interface PasskeyProof {
  purpose: 'passkey_second_step' | 'passkey_step_up'
  /** The id of what it is for: a login, a reset, or the session of a step-up. */
  of: string
  userId: string
  /** A revocation since then ends the challenge. Undefined: the request has another proof, which a revocation ends. */
  generation?: number | undefined
}

/** Returns what a browser needs for a passkey of a user, or undefined if none works at the domain of the database. */
export async function proofOptions(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  database: Pick<Database, 'id' | 'passkeyDomain' | 'passkeyOrigins' | 'appUrl'>,
  { factors, ...proof }: PasskeyProof & { factors: readonly ListedFactor[] },
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const rp = relyingPartyOf(database)
  if (!rp) return undefined
  const allowCredentials = descriptorsOf(factors, rp.domain)
  if (allowCredentials.length === 0) return undefined
  return {
    challenge: await challengeText(context, database, proof),
    rpId: rp.domain,
    timeout: challengeMilliseconds,
    userVerification: 'preferred',
    allowCredentials,
  }
}
