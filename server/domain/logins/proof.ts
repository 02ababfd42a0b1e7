import type { FinishLoginBody } from '@usher/contract'
import { findIdentityUserId } from '../../store/queries/identities.js'
import { findLogin, type Login } from '../../store/queries/login.js'
import {
  countTry,
  type FoundAttempt,
  findAttempt,
  type MailAttempt,
  type ReturnedAttempt,
  releaseTry,
} from '../../store/queries/login-attempts.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { loginMailOf, type RuleDatabase } from '../databases/find-database.js'
import { isEqual, type Secrets } from '../keys/database-secrets.js'
import { challengeOf, readSigned } from '../keys/signed-text.js'
import { attemptLogin } from '../passwords/authenticate.js'
import { Problem, validationFailed } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'
import type { DatabaseRequest } from '../request.js'
import { digitsOf } from './digits.js'

/** How often the digits of one mail can be tried. */
export const triesOfDigits = 3

/** What the client has proven: that it has received a mail, or that a provider knows the person. */
export type Proof =
  | { kind: 'mail'; attempt: MailAttempt }
  | {
      kind: 'external'
      attempt: ReturnedAttempt
      claims: ProviderClaims
      /** A mail that proves the address. */
      mail: MailAttempt | undefined
    }

/** A login that the client has started and proven. */
export interface ProvenLogin {
  proof: Proof
  /** The account that would log in, as it was read. */
  user: Login['user']
  /** Whether it was found by its identity, and not by its address. */
  isKnownIdentity?: boolean
  /** The network of the client. */
  network: Uint8Array
  /** When the user last logged in from it. Null if never. */
  knownAt: Date | null
}

type Request = DatabaseRequest<Partial<FinishLoginBody> & Pick<FinishLoginBody, 'verifier'>>

/**
 * Verifies that the client has received the mail of a login, or its result from a provider, and that it has started the login. A
 * wrong verifier is like an unknown login: it counts nothing, and does not reveal whether the rest is right.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`
 */
export async function requireProof(
  context: AppContext,
  request: DatabaseRequest<FinishLoginBody>,
): Promise<ProvenLogin> {
  const { database, body } = request
  const { code, login, digits, verifier } = body
  if (code === undefined) {
    for (const [path, value] of Object.entries({ login, digits }))
      if (value === undefined)
        throw validationFailed([{ path, code: 'required', detail: 'is required without `code`' }])
    return requireDigits(context, request, { id: login as string, verifier, digits: digits as string })
  }
  const attempt = await requireAttempt(context, database.id, { code, verifier })
  if (attempt.kind === 'external') return proveReturned(context, request, attempt)
  if (loginMailOf(database) === 'off') throw new Problem('code_invalid')
  const { canonicalEmail } = attempt
  return { proof: { kind: 'mail', attempt }, ...(await findAccount(context, request, { canonicalEmail })) }
}

/** Returns the login of a code that the database has issued. @throws {Problem} `code_invalid` */
export async function requireAttempt(
  context: AppContext,
  databaseId: string,
  { code, verifier }: { code: string; verifier: string },
): Promise<FoundAttempt> {
  const signed = readSigned(code)
  const attempt = signed && (await findStarted(context, databaseId, { id: signed.id, verifier }))
  const secrets = await context.findSecrets(databaseId)
  const isSigned =
    attempt?.kind === 'mail'
      ? signed?.isSigned(secrets, 'login_code', attempt.canonicalEmail)
      : signed?.isSigned(secrets, 'external_code')
  if (!attempt || !isSigned) throw new Problem('code_invalid')
  return attempt
}

/**
 * Returns what a login that has returned from a provider proves, with the mail of the request that proves its address.
 *
 * @throws {Problem} `code_invalid`; `too_many_attempts`
 */
export async function proveReturned(
  context: AppContext,
  request: Request,
  attempt: ReturnedAttempt,
): Promise<ProvenLogin> {
  const { database, body } = request
  const { verifier, mail } = body
  const claims = attempt.claims as ProviderClaims
  const { connection } = attempt
  const key = { databaseId: database.id, connection, issuer: claims.issuer, subject: claims.subject }
  const id = await findIdentityUserId(context.store, key)
  const mailed =
    mail && (await requireDigits(context, request, { id: mail.login, verifier, digits: mail.digits })).proof
  const proof = {
    kind: 'external',
    attempt,
    claims,
    mail: mailed?.attempt as MailAttempt | undefined,
  } as const
  const canonicalEmail = addressOf(proof)?.canonicalEmail
  const account = await findAccount(context, request, id ? { id } : { canonicalEmail })
  return { proof, isKnownIdentity: id !== undefined, ...account }
}

/** Returns the address of a login, and what proves it. Undefined if there is none. */
export function addressOf(proof: Proof) {
  if (proof.kind === 'mail') return { ...proof.attempt, proof: 'authoritative' } as const
  const { claims, mail } = proof
  if (mail) return { ...mail, proof: 'authoritative' } as const
  const { email, emailProof } = claims
  return email === null
    ? undefined
    : { email, canonicalEmail: requireCanonicalEmail(email), proof: emailProof }
}

/** Returns whether the mail of a login has digits. */
export const hasDigits = (database: RuleDatabase) => ['code', 'both'].includes(loginMailOf(database))

/** Guesses are counted per mail, and in the throttle of logins over all mails to an address and over all networks. */
async function requireDigits(
  context: AppContext,
  request: DatabaseRequest,
  { digits, ...presented }: { id: string; verifier: string; digits: string },
): Promise<ProvenLogin & { proof: { kind: 'mail' } }> {
  const { store, now } = context
  const { database } = request
  const attempt = await findStarted(context, database.id, presented)
  // The digits were not mailed, but could be guessed.
  if (attempt?.kind !== 'mail' || !hasDigits(database)) throw new Problem('code_invalid')
  const { id, canonicalEmail } = attempt
  const key = { databaseId: database.id, id }
  const secrets = await context.findSecrets(database.id)
  const proven = await attemptLogin(context, request, {
    account: { canonicalEmail },
    async verify() {
      if (!(await countTry(store, key, { now: new Date(now()), most: triesOfDigits }))) return false
      const isRight = matchesDigits(secrets, attempt, digits)
      if (isRight) await releaseTry(store, key)
      return isRight
    },
  })
  if (!proven) throw new Problem('code_invalid')
  const { user, network, knownAt } = proven
  return { proof: { kind: 'mail', attempt }, user, network, knownAt }
}

const matchesDigits = (
  secrets: Pick<Secrets, 'signAll'>,
  { id, canonicalEmail }: MailAttempt,
  digits: string,
) => secrets.signAll('login_digits', id, canonicalEmail).some((mac) => isEqual(digits, digitsOf(mac)))

/** Returns the login with an id if the verifier is that of the client that has started it. */
async function findStarted(
  { store, now }: AppContext,
  databaseId: string,
  { id, verifier }: { id: string; verifier: string },
) {
  const attempt = await findAttempt(store, { databaseId, id }, { now: new Date(now()) })
  return attempt && isEqual(challengeOf(verifier), attempt.challenge) ? attempt : undefined
}

/** Returns an account by id or address, and the network of the client. */
async function findAccount(
  { store, throttle }: AppContext,
  { database, caller }: DatabaseRequest,
  { id, canonicalEmail }: { id?: string; canonicalEmail?: string | undefined },
) {
  const keys = throttle.keys.attempt(database.id, canonicalEmail ?? '', caller.clientAddress)
  const account = { databaseId: database.id, ...(id ? { id } : { canonicalEmail: canonicalEmail ?? '' }) }
  const { user, networkKnownAt: knownAt } = await findLogin(store, account, keys)
  return { user, network: keys.network, knownAt }
}
