import type { AuthenticationResponseJSON } from '@usher/contract'
import { findPasskey } from '../../store/queries/passkeys.js'
import type { AppContext } from '../context.js'
import { relyingPartyOf } from '../databases/relying-party.js'
import type { DatabaseRequest } from '../request.js'
import { acceptAssertion } from './accept-assertion.js'
import { readChallenge } from './challenge.js'
import type { PasskeyProof } from './options.js'
import { RefusedResponse, readClientData } from './signed-data.js'

/**
 * Verifies that a passkey of a user has signed for the user to prove a second factor.
 *
 * @throws {RefusedResponse} with the check that has failed
 */
export async function verifyPasskeyProof(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  { response, purpose, of, userId, generation }: PasskeyProof & { response: AuthenticationResponseJSON },
) {
  const { database } = request
  const rp = relyingPartyOf(database)
  if (!rp) throw new RefusedResponse('The database has no domain for passkeys.')
  const { clientDataJSON } = response.response
  const clientData = readClientData(clientDataJSON, { type: 'webauthn.get', origins: rp.origins })
  const read = { purpose, challenge: clientData.challenge }
  const challenge = await readChallenge<PasskeyProof>(context, database, read)
  const isOf =
    challenge?.userId === userId &&
    challenge.of === of &&
    [undefined, generation].includes(challenge.generation)
  if (!isOf) throw new RefusedResponse('The challenge has expired, or is that of another request.')
  const passkey = await findPasskey(context.store, database.id, Buffer.from(response.id, 'base64url'))
  if (passkey?.userId !== userId) throw new RefusedResponse('The passkey is not one of the user.')
  const assertion = { response, passkey, challenge, rp, clientData, needsVerification: false }
  await acceptAssertion(context, request, assertion)
}
