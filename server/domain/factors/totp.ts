import { randomUUID } from 'node:crypto'
import type { AddTotpBody, EnrolledTotp } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { findGuesses, type GuessLimits, type RightCode, tryCode } from '../../store/queries/factor-guesses.js'
import { findSecretsOfFactors, insertTotp, type NewTotp } from '../../store/queries/factors.js'
import { sendNotice } from '../change.js'
import type { AppContext } from '../context.js'
import { appNameOf } from '../databases/relying-party.js'
import { dataCipherOf, openDataCipher } from '../keys/data-key.js'
import type { Secrets } from '../keys/database-secrets.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { tooManyAttempts } from '../throttle/rules.js'
import {
  type Enroller,
  type Enrolment,
  type EnrolRequest,
  type FactorKind,
  type GivenProof,
  requireEnrolment,
} from './kind.js'

/** Authenticator apps (RFC 6238). */
export const totp: FactorKind<AddTotpBody, EnrolledTotp, NewTotp> = {
  name: 'totp',
  amr: 'otp',
  most: 2,
  turnsOn: true,
  isOn: (_database, factors) => factors.some(({ kind }) => kind === 'totp'),
  begin,
  read,
  insert: insertTotp,
  prove,
}

const lifetimeMilliseconds = 600_000

async function begin(context: AppContext, { database }: DatabaseRequest, { user, proven }: Enroller) {
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

async function read(context: AppContext, request: EnrolRequest<AddTotpBody>) {
  const { database, body } = request
  const databaseId = database.id
  const at = context.now()
  const secrets = await context.findSecrets(databaseId)
  const signed = readSignedValue<Enrolment>(secrets, {
    purpose: 'totp_enrolment',
    text: body.challenge,
    now: at,
  })
  const enrolment = requireEnrolment(signed?.value, request)
  const secret = secretOfEnrolment(secrets, enrolment.id, signed?.place)
  const lastStep = await stepOf(secret, body.totp, at)
  if (lastStep === undefined) throw new Problem('second_factor_invalid')
  // Before the transaction, in which a store with one connection could not read them.
  const cipher = await openDataCipher(context.store, databaseId, new Date(at))
  const id = uuidv7()
  const factor: NewTotp = {
    databaseId,
    id,
    userId: enrolment.userId,
    kind: 'totp',
    name: body.name ?? null,
    sealedSecret: cipher.seal(secret, factorRow(databaseId, id)),
    lastStep,
    createdAt: new Date(at),
  }
  return { enrolment, factor }
}

/** Wrong codes in a row after which the user gets a mail: somebody knows the password. */
const noticedFailures = [3, 10]

async function prove(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { userId, isKnown, proof }: GivenProof,
) {
  const databaseId = request.database.id
  const right = await findRightCode(context, { databaseId, userId, code: proof.totp as string })
  const { failures, isAccepted } = await tryGuess(context, { databaseId, userId, isKnown }, right)
  if (isAccepted) return
  if (!right && noticedFailures.includes(failures))
    await sendNotice(context, request, { notice: 'second_step_failed', userId })
  throw new Problem('second_factor_invalid')
}

/** Identifies the row of a factor's secret. */
export const factorRow = (databaseId: string, id: string) => `${databaseId}/factor/${id}`

/** Returns the app of a user that shows a code now, unless that code or a later one was used. */
async function findRightCode(
  { store, now }: AppContext,
  { databaseId, userId, code }: { databaseId: string; userId: string; code: string },
) {
  for (const { id, sealedSecret, lastStep, sealedKey } of await findSecretsOfFactors(store, {
    databaseId,
    userId,
  })) {
    const secret = dataCipherOf(store, { databaseId, sealedKey }).open(
      sealedSecret,
      factorRow(databaseId, id),
    )
    const step = await stepOf(secret, code, now())
    if (step !== undefined && step > lastStep) return { factorId: id, step }
  }
  return undefined
}

/** Bytes of a secret: those of a key of SHA-1 (RFC 4226, section 4). */
const secretBytes = 20
const periodSeconds = 30
/** Steps before and after the current one whose codes are accepted, because clocks of phones differ. */
const window = 1

const digits = 6
const parameters = { algorithm: 'SHA1', digits, period: periodSeconds }

/** The chance that a guess is one of the codes that an app shows in the accepted steps. */
export const chanceOfGuess = (1 + 2 * window) / 10 ** digits

/**
 * Returns the secret of an enrolment. It is derived from a secret of the database, so that nothing is stored until the user has
 * proven to have it.
 *
 * @param place that of the secret of the database among those that are accepted
 */
function secretOfEnrolment({ signAll }: Pick<Secrets, 'signAll'>, id: string, place = 0) {
  const mac = signAll('totp_secret', id)[place]
  if (mac === undefined) throw new Error('the secret of the database was retired')
  return Buffer.from(mac, 'base64url').subarray(0, secretBytes)
}

/** A label has a colon between the issuer and the account, so apps would cut an issuer at its own. */
const withoutColon = (text: string) =>
  text
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' - ')

/** Returns the secret in base32, and as a URI for a QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export async function describeSecret(secret: Buffer, { issuer, label }: { issuer: string; label: string }) {
  const totp = await totpOf(secret, { issuer: withoutColon(issuer), label })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Returns the time step of a code (RFC 6238, section 4.2), or undefined if it is not one of now. */
export async function stepOf(secret: Buffer, code: string, now: number): Promise<number | undefined> {
  const totp = await totpOf(secret)
  const delta = totp.validate({ token: code, timestamp: now, window })
  return delta === null ? undefined : Math.floor(now / 1000 / periodSeconds) + delta
}

/** Returns a secret in base32 (RFC 4648, section 6). */
export async function base32Of(secret: Buffer) {
  const { Secret } = await import('otpauth')
  return new Secret({ buffer: Uint8Array.from(secret).buffer }).base32
}

/** Returns the secret of a text in base32 without padding. */
export async function secretOfBase32(text: string) {
  const { Secret } = await import('otpauth')
  return Buffer.from(Secret.fromBase32(text).bytes)
}

async function totpOf(secret: Buffer, names: { issuer?: string; label?: string } = {}) {
  // Loaded at the first use, because most servers start without it.
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ ...parameters, ...names, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) })
}

// Six digits can be guessed by a program that has the password, so tries are counted per user, over all challenges, networks and
// servers, by the statement that accepts a right one. Known networks have an allowance of their own: a stranger cannot lock the user out.

/** Wrong codes that an allowance permits at any time. */
export const freeGuesses = 10
/** An allowance gains a try in this time: five a day. */
export const secondsPerGuess = 17_280
/** Wrong codes in a row after which an allowance ends, until a recovery code or a right code by the other one. */
export const mostFailures = 100

/** A user, and whether the request comes from a network from which the user has logged in. */
interface Guesser {
  databaseId: string
  userId: string
  isKnown: boolean
}

/**
 * Counts a wrong code, or accepts a right one.
 *
 * @returns the wrong codes in a row, including this one, and whether the code was accepted
 * @throws {Problem} `too_many_attempts`, whatever the code
 */
export async function tryGuess(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  guesser: Guesser,
  right?: RightCode,
) {
  const at = now()
  const limits: GuessLimits = {
    now: new Date(at),
    seconds: secondsPerGuess,
    latest: new Date(at + (freeGuesses - 1) * secondsPerGuess * 1000),
    mostFailures,
  }
  const tried = await tryCode(store, guesser, { ...limits, right })
  if (!tried) throw await refusal(store, guesser, limits)
  return tried
}

async function refusal(store: AppContext['store'], guesser: Guesser, { latest }: GuessLimits) {
  const guesses = await findGuesses(store, guesser)
  if (guesses && guesses.failures >= mostFailures)
    return new Problem('too_many_attempts', {
      detail: 'Too many wrong codes. Use a recovery code, or ask the operator of the app.',
      retryAfterSeconds: 86_400,
    })
  const milliseconds = (guesses?.fullAt.getTime() ?? 0) - latest.getTime()
  return tooManyAttempts(Math.max(1, Math.ceil(milliseconds / 1000)))
}
