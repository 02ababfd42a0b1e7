import type { AddedFactor, AddPasskeyBody, EnrolledPasskey, EnrolPasskeyBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import type { AppContext } from '../context.js'
import { appNameOf, requireRelyingParty } from '../databases/relying-party.js'
import { challengeMilliseconds, challengeText, readChallenge } from '../passkeys/challenge.js'
import { descriptorsOf } from '../passkeys/options.js'
import { ifRefused } from '../passkeys/refusal.js'
import { readClientData } from '../passkeys/signed-data.js'
import { algorithms, verifyRegistration } from '../passkeys/verify.js'
import { Problem } from '../problem.js'
import { addFactor, type Enrolment, type EnrolRequest, requireEnrolment } from './add-factor.js'
import { requireEnroller } from './require-enroller.js'

/** Returns the user handle of the passkeys of a user (WebAuthn, section 4): it tells nothing of the user. */
const userHandleOf = (userId: string) => Buffer.from(userId)

/**
 * Returns what a browser needs to create a passkey. Stores nothing.
 *
 * @throws {Problem} those of `requireEnroller`
 */
export async function enrolPasskey(
  context: AppContext,
  request: EnrolRequest<EnrolPasskeyBody>,
): Promise<EnrolledPasskey> {
  const { database } = request
  const { domain } = requireRelyingParty(database)
  const { user, proven, factors } = await requireEnroller(context, request, 'passkey')
  const { id, email } = user
  return {
    options: {
      challenge: await challengeText(context, database, { purpose: 'passkey_enrolment', ...proven }),
      rp: { id: domain, name: await appNameOf(context, database) },
      user: {
        id: userHandleOf(id).toString('base64url'),
        name: email,
        displayName: email,
      },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeMilliseconds,
      excludeCredentials: descriptorsOf(factors, domain),
      // A key without memory for passkeys, or without a PIN, can still be a second factor.
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
      extensions: { credProps: true },
    },
  }
}

/**
 * Adds a passkey that a browser has created. Tokens and sessions continue: the passkey does not turn the second step of logins on.
 *
 * @throws {Problem} `challenge_invalid`; `passkey_invalid`; `email_not_verified`; `token_missing` if no login has demanded it
 */
export async function addPasskey(
  context: AppContext,
  request: EnrolRequest<AddPasskeyBody>,
): Promise<AddedFactor> {
  const { database, body } = request
  const { passkey, name } = body
  const rp = requireRelyingParty(database)
  const at = context.now()
  const { clientData, enrolment } = await readEnrolment(context, request, rp.origins).catch(ifRefused())
  const created = await verifyRegistration(passkey, { rp, clientData }).catch(ifRefused())
  const { isUserVerified, ...stored } = created
  const isDiscoverable = passkey.clientExtensionResults?.credProps?.rk ?? created.isSynced
  return addFactor(context, request, {
    enrolment,
    factor: {
      ...stored,
      databaseId: database.id,
      id: uuidv7(),
      userId: enrolment.userId,
      kind: 'passkey',
      name: name ?? null,
      userHandle: Uint8Array.from(userHandleOf(enrolment.userId)),
      domain: rp.domain,
      transports: passkey.response.transports ?? [],
      logsIn: isDiscoverable && isUserVerified,
      createdAt: new Date(at),
    },
    way: 'pop',
    at,
  }).catch((error) => {
    const detail = 'The passkey was added before.'
    throw isUniqueViolation(error) ? new Problem('passkey_invalid', { cause: error, detail }) : error
  })
}

async function readEnrolment(
  context: AppContext,
  request: EnrolRequest<AddPasskeyBody>,
  origins: readonly string[],
) {
  const { clientDataJSON } = request.body.passkey.response
  const clientData = readClientData(clientDataJSON, { type: 'webauthn.create', origins })
  const read = { purpose: 'passkey_enrolment', challenge: clientData.challenge } as const
  const found = await readChallenge<Omit<Enrolment, 'id' | 'expiresAt'>>(context, request.database, read)
  return { clientData, enrolment: requireEnrolment(found, request) }
}
