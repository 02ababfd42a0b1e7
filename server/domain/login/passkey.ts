import type { BegunPasskeyLogin, ConfirmedUser, LoginWithPasskeyBody } from '@usher/contract'
import { findPasskeyLogin } from '../../store/queries/passkeys.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { requireRelyingParty } from '../databases/relying-party.js'
import { confirmedUser } from '../factors/confirm.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import {
  acceptAssertion,
  challengeMilliseconds,
  challengeText,
  readChallenge,
} from '../webauthn/challenge.js'
import { ifRefused, RefusedResponse, readClientData } from '../webauthn/signed-data.js'

/** Returns what a browser needs to log in with a passkey. Reads and stores nothing. */
export async function beginPasskeyLogin(
  context: AppContext,
  { database }: DatabaseRequest,
): Promise<BegunPasskeyLogin> {
  const { domain } = requireRelyingParty(database)
  return {
    options: {
      challenge: await challengeText(context, database, { purpose: 'passkey_login' }),
      rpId: domain,
      timeout: challengeMilliseconds,
      userVerification: 'required',
      // A list would tell which accounts there are.
      allowCredentials: [],
    },
  }
}

/**
 * Logs the user of a passkey in. Only now is the login audited, and its network known.
 *
 * @throws {Problem} `challenge_invalid`; `passkey_invalid`; `passkey_unknown`; `login_refused`; `too_many_attempts`
 */
export async function loginWithPasskey(
  context: AppContext,
  request: DatabaseRequest<LoginWithPasskeyBody>,
): Promise<ConfirmedUser> {
  const { throttle, networkAllowance } = context
  const { database, caller } = request
  const sources = throttle.keys.sources(database.id, caller.clientAddress)
  const usedUp = networkAllowance.refusal(database, sources)
  if (usedUp) throw usedUp
  // Before the user is read, so that a revocation since then covers the token.
  const at = context.now()
  const { user, networkKnownAt: knownAt } = await verifyLogin(context, request, sources.network)
    .catch(ifRefused())
    .catch(async (error) => {
      if (error instanceof Problem) {
        audit(caller.log, 'login.failed', { databaseId: database.id, way: 'passkey' })
        await networkAllowance.countFailure(database, sources)
      }
      throw error
    })
  if (user.disabledAt) throw new Problem('login_refused')
  return confirmedUser(context, request, {
    user,
    authentication: Authentication.ofPasskey(user, at),
    readAt: at,
    network: { user, network: sources.network, knownAt },
    event: 'login.succeeded',
    way: 'passkey',
  })
}

async function verifyLogin(
  context: AppContext,
  request: DatabaseRequest<LoginWithPasskeyBody>,
  network: Uint8Array,
) {
  const { database, body } = request
  const { passkey: response } = body
  const { clientDataJSON, userHandle } = response.response
  const rp = requireRelyingParty(database)
  const clientData = readClientData(clientDataJSON, { type: 'webauthn.get', origins: rp.origins })
  const read = { purpose: 'passkey_login', challenge: clientData.challenge } as const
  const challenge = await readChallenge(context, database, read)
  if (!challenge) throw new Problem('challenge_invalid')
  const credentialId = Buffer.from(response.id, 'base64url')
  const found = await findPasskeyLogin(context.store, database.id, { credentialId, network })
  if (!found) throw new Problem('passkey_unknown')
  const { passkey } = found
  if (!Buffer.from(userHandle ?? '', 'base64url').equals(passkey.userHandle))
    throw new RefusedResponse('The authenticator has not named the user of the passkey.')
  const assertion = { response, passkey, challenge, rp, clientData, needsVerification: true }
  await acceptAssertion(context, request, assertion)
  return found
}
