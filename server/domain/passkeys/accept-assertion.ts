import type { AuthenticationResponseJSON } from '@usher/contract'
import { acceptSignature, type Passkey } from '../../store/queries/passkeys.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { RelyingParty } from '../databases/relying-party.js'
import type { DatabaseRequest } from '../request.js'
import type { PasskeyChallenge } from './challenge.js'
import { type ClientData, RefusedResponse } from './signed-data.js'
import { verifyAssertion } from './verify.js'

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
