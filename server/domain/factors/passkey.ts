import type {
  AddPasskeyBody,
  AuthenticationResponseJSON,
  EnrolledPasskey,
  PublicKeyCredentialRequestOptionsJSON,
} from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { forgetFailures } from '../../store/queries/factor-guesses.js'
import {
  insertPasskey,
  type ListedFactor,
  type NewPasskey,
  type PasskeyIdentity,
} from '../../store/queries/factors.js'
import { findPasskey } from '../../store/queries/passkeys.js'
import type { Change } from '../change.js'
import type { AppContext } from '../context.js'
import { appNameOf, relyingPartyOf, requireRelyingParty } from '../databases/relying-party.js'
import { requireDomainOf } from '../databases/require-same-domain.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import {
  acceptAssertion,
  challengeMilliseconds,
  challengeText,
  readChallenge,
} from '../webauthn/challenge.js'
import { ifRefused, RefusedResponse, readClientData } from '../webauthn/signed-data.js'
import { algorithms, verifyRegistration } from '../webauthn/verify.js'
import {
  type Enroller,
  type Enrolment,
  type EnrolRequest,
  type FactorKind,
  type GivenProof,
  type PasskeyDatabase,
  type ProofUse,
  requireEnrolment,
} from './kind.js'

/** Passkeys and security keys (WebAuthn). */
export const passkey: FactorKind<AddPasskeyBody, EnrolledPasskey, NewPasskey> = {
  name: 'passkey',
  amr: 'pop',
  most: 10,
  // Users add one in passing.
  turnsOn: false,
  isOn: (database, factors) => usableOf(database, factors).length > 0,
  options,
  begin,
  read,
  insert,
  prove,
}

/** Returns what identifies a passkey for its user. */
export const shownPasskey = ({ credentialId, domain, userHandle, isSynced }: PasskeyIdentity) => ({
  credentialId: base64url(credentialId),
  domain,
  userHandle: base64url(userHandle),
  isSynced,
})

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** Returns how browsers find the passkeys among factors that work at the domain of a database. */
const usableOf = (database: PasskeyDatabase, factors: readonly ListedFactor[]) =>
  factors.flatMap((factor) =>
    factor.kind === 'passkey' && factor.domain === relyingPartyOf(database)?.domain
      ? [{ type: 'public-key' as const, id: base64url(factor.credentialId), transports: factor.transports }]
      : [],
  )

async function options(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  database: PasskeyDatabase,
  { factors, ...use }: ProofUse & { factors: readonly ListedFactor[] },
): Promise<{ options: PublicKeyCredentialRequestOptionsJSON }> {
  return {
    options: {
      challenge: await challengeText(context, database, use),
      rpId: requireRelyingParty(database).domain,
      timeout: challengeMilliseconds,
      userVerification: 'preferred',
      allowCredentials: usableOf(database, factors),
    },
  }
}

/** Returns the user handle of the passkeys of a user (WebAuthn, section 4): it tells nothing of the user. */
const userHandleOf = (userId: string) => Buffer.from(userId)

async function begin(
  context: AppContext,
  { database }: DatabaseRequest,
  { user: { id, email }, factors, proven }: Enroller,
): Promise<EnrolledPasskey> {
  const { domain } = requireRelyingParty(database)
  return {
    options: {
      challenge: await challengeText(context, database, { purpose: 'passkey_enrolment', ...proven }),
      rp: { id: domain, name: await appNameOf(context, database) },
      user: { id: base64url(userHandleOf(id)), name: email, displayName: email },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeMilliseconds,
      excludeCredentials: usableOf(database, factors),
      // A key without memory for passkeys, or without a PIN, can still be a second factor.
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
      extensions: { credProps: true },
    },
  }
}

/** @throws {Problem} `challenge_invalid`; `passkey_invalid` */
async function read(context: AppContext, request: EnrolRequest<AddPasskeyBody>) {
  const { database, body } = request
  const { passkey: created, name } = body
  const rp = requireRelyingParty(database)
  const createdAt = new Date(context.now())
  const { clientData, enrolment } = await readEnrolment(context, request, rp.origins).catch(ifRefused())
  const { isUserVerified, ...stored } = await verifyRegistration(created, { rp, clientData }).catch(
    ifRefused(),
  )
  const isDiscoverable = created.clientExtensionResults?.credProps?.rk ?? stored.isSynced
  const factor: NewPasskey = {
    ...stored,
    databaseId: database.id,
    id: uuidv7(),
    userId: enrolment.userId,
    kind: 'passkey',
    name: name ?? null,
    userHandle: Uint8Array.from(userHandleOf(enrolment.userId)),
    domain: rp.domain,
    transports: created.response.transports ?? [],
    logsIn: isDiscoverable && isUserVerified,
    createdAt,
  }
  return { enrolment, factor }
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

/** @throws {Problem} `passkey_invalid` if the domain of passkeys has changed, or a user has the passkey */
async function insert(change: Change, factor: NewPasskey) {
  await requireDomainOf(change, factor.domain)
  await insertPasskey(change, factor).catch((error) => {
    const detail = 'The passkey was added before.'
    throw isUniqueViolation(error) ? new Problem('passkey_invalid', { cause: error, detail }) : error
  })
}

/** Verifies that a passkey of the user has signed for the use. */
async function prove(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  { proof, isKnown: _, ...use }: GivenProof,
) {
  const response = proof.passkey as AuthenticationResponseJSON
  await accept(context, request, { ...use, response }).catch(ifRefused('second_factor_invalid'))
  // The user is there, and may have tried wrong codes of a lost app.
  await forgetFailures(context.store, { databaseId: request.database.id, userId: use.userId })
}

/** @throws {RefusedResponse} with the check that has failed */
async function accept(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  { response, purpose, of, userId, generation }: ProofUse & { response: AuthenticationResponseJSON },
) {
  const { database } = request
  const rp = relyingPartyOf(database)
  if (!rp) throw new RefusedResponse('The database has no domain for passkeys.')
  const { clientDataJSON } = response.response
  const clientData = readClientData(clientDataJSON, { type: 'webauthn.get', origins: rp.origins })
  const read = { purpose, challenge: clientData.challenge }
  const challenge = await readChallenge<ProofUse>(context, database, read)
  const isOf =
    challenge?.userId === userId &&
    challenge.of === of &&
    [undefined, generation].includes(challenge.generation)
  if (!isOf) throw new RefusedResponse('The challenge has expired, or is that of another request.')
  const found = await findPasskey(context.store, database.id, Buffer.from(response.id, 'base64url'))
  if (found?.userId !== userId) throw new RefusedResponse('The passkey is not one of the user.')
  const assertion = { response, passkey: found, challenge, rp, clientData, needsVerification: false }
  await acceptAssertion(context, request, assertion)
}
