import type { FinishLoginBody, ProofHeaders, RequestLoginCodeBody, StartedLogin } from '@usher/contract'
import {
  countTry,
  type FoundAttempt,
  findAddressHolder,
  findAttempt,
  insertAttempt,
  type MailAttempt,
  releaseTry,
} from '../../store/queries/login-attempts.js'
import { requireProof } from '../bot-check.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { runWithinLimits } from '../change.js'
import { endOfCode } from '../codes/code.js'
import type { AppContext } from '../context.js'
import { isEqual, type Secrets } from '../keys/database-secrets.js'
import { challengeOf, readSigned } from '../keys/signed-text.js'
import { mailMessage } from '../notices/mail-message.js'
import { attemptLogin } from '../passwords/authenticate.js'
import { Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { hasDigits } from './choose.js'

/** How often the digits of one mail can be tried. */
export const triesOfDigits = 3

/**
 * Starts a login by mail. Does the same for every address, also when no mail is sent. The delivery of the mail decides whether
 * there is somebody to send it to.
 *
 * @throws {Problem} `proof_required`; `proof_invalid`
 */
export async function requestLoginCode(
  context: AppContext,
  request: DatabaseRequest<RequestLoginCodeBody> & { headers: ProofHeaders },
): Promise<StartedLogin> {
  await requireProof(context, request, { operation: 'requestLoginCode', purpose: 'login_code' })
  const { database, body, caller } = request
  const { email, challenge } = body
  const { id: databaseId } = database
  const canonicalEmail = requireCanonicalEmail(email)
  const purpose = 'login_code'
  const startedAt = new Date(context.now())
  const mail = mailMessage({ databaseId, type: purpose, userId: undefined }, startedAt)
  const expiresAt = endOfCode(purpose, startedAt)
  await runWithinLimits(context, request, {
    limited: { purpose, canonicalEmail, clientAddress: caller.clientAddress },
    async rule(change, count) {
      await count(change)
      const user = await findAddressHolder(change, databaseId, { canonicalEmail })
      const generation = user?.generation ?? null
      const attempt = { id: mail.id, kind: 'mail', challenge, email, canonicalEmail, generation, expiresAt }
      await insertAttempt(change, { databaseId, ...attempt })
      return {
        result: mail,
        facts: [{ type: 'login_code.requested', ...(user && { userId: user.id }) }],
        mails: [mail],
      }
    },
  })
  return { login: mail.id, expiresAt: expiresAt.toISOString() }
}

/** Returns the login with an id if the verifier is that of the client that has started it. */
export async function findStarted(
  { store, now }: AppContext,
  databaseId: string,
  { id, verifier }: { id: string; verifier: string },
) {
  const attempt = await findAttempt(store, { databaseId, id }, { now: new Date(now()) })
  return attempt && isEqual(challengeOf(verifier), attempt.challenge) ? attempt : undefined
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

/** Digits of a mail that a client has presented. */
interface PresentedDigits {
  id: string
  verifier: string
  digits: string
}

/** Returns the digits of a request without a code. @throws {Problem} `validation_failed` */
export function requireDigits({
  login,
  digits,
  verifier,
}: Pick<FinishLoginBody, 'login' | 'digits' | 'verifier'>): PresentedDigits {
  for (const [path, value] of Object.entries({ login, digits }))
    if (value === undefined)
      throw validationFailed([{ path, code: 'required', detail: 'is required without `code`' }])
  return { id: login as string, verifier, digits: digits as string }
}

/**
 * Verifies the digits of a mail. Guesses are counted per mail, and in the throttle of logins over all mails to an address and over
 * all networks.
 *
 * @throws {Problem} `code_invalid`; `too_many_attempts`
 */
export async function proveDigits(
  context: AppContext,
  request: DatabaseRequest,
  { digits, ...presented }: PresentedDigits,
) {
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
  return { attempt, user, network, knownAt }
}

const matchesDigits = (
  secrets: Pick<Secrets, 'signAll'>,
  { id, canonicalEmail }: MailAttempt,
  digits: string,
) => secrets.signAll('login_digits', id, canonicalEmail).some((mac) => isEqual(digits, digitsOf(mac)))

/** Returns the six digits of a MAC. */
export function digitsOf(mac: string) {
  const number = Buffer.from(mac, 'base64url').readUIntBE(0, 6) % 1_000_000
  return String(number).padStart(6, '0')
}
