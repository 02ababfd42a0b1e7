import { createHash } from 'node:crypto'
import type { FinishLoginBody } from '@usher/contract'
import { findLogin } from '../../store/queries/login.js'
import { countTry, type FoundAttempt, findAttempt, releaseTry } from '../../store/queries/login-attempts.js'
import type { AppContext } from '../context.js'
import { loginMailOf } from '../databases/find-database.js'
import { isEqual, type Secrets } from '../keys/database-secrets.js'
import { readSigned } from '../keys/signed-text.js'
import { Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { attemptLogin } from '../users/authenticate.js'
import { digitsOf } from './digits.js'

/** How often the digits of one mail can be tried. */
export const triesOfDigits = 3

/** A login whose mail the client has received. */
export interface ProvenLogin {
  attempt: FoundAttempt
  /** Whether an account had the address when it was read. */
  hasAccount: boolean
  /** The network of the client. */
  network: Uint8Array
  /** When the user last logged in from it. Null if never. */
  knownAt: Date | null
}

/**
 * Verifies that the client has received the mail of a login, and that it has started the login. A wrong verifier is like an
 * unknown login: it counts nothing, and does not reveal whether the rest is right.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`
 */
export async function requireProof(
  context: AppContext,
  request: DatabaseRequest<FinishLoginBody>,
): Promise<ProvenLogin> {
  const { database, body } = request
  const { code, login, digits, verifier } = body
  if (code !== undefined) {
    const signed = readSigned(code)
    const attempt = signed && (await findStarted(context, database.id, { id: signed.id, verifier }))
    const secrets = await context.findSecrets(database.id)
    if (!attempt || !signed.isSigned(secrets, 'login_code', attempt.canonicalEmail))
      throw new Problem('code_invalid')
    return { attempt, ...(await findNetwork(context, request, attempt)) }
  }
  for (const [path, value] of Object.entries({ login, digits }))
    if (value === undefined)
      throw validationFailed([{ path, code: 'required', detail: 'is required without `code`' }])
  return requireDigits(context, request, { id: login as string, verifier, digits: digits as string })
}

/** Guesses are counted per mail, and in the throttle of logins over all mails to an address and over all networks. */
async function requireDigits(
  context: AppContext,
  request: DatabaseRequest,
  { digits, ...presented }: { id: string; verifier: string; digits: string },
): Promise<ProvenLogin> {
  const { store, now } = context
  const { database } = request
  const attempt = await findStarted(context, database.id, presented)
  // The digits were not mailed, but could be guessed.
  if (!attempt || loginMailOf(database) === 'link') throw new Problem('code_invalid')
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
  return { attempt, hasAccount: user !== undefined, network, knownAt }
}

const matchesDigits = (
  secrets: Pick<Secrets, 'signAll'>,
  { id, canonicalEmail }: FoundAttempt,
  digits: string,
) => secrets.signAll('login_digits', id, canonicalEmail).some((mac) => isEqual(digits, digitsOf(mac)))

/** Returns the login with an id if the verifier is that of the client that has started it. */
async function findStarted(
  { store, now }: AppContext,
  databaseId: string,
  { id, verifier }: { id: string; verifier: string },
) {
  const attempt = await findAttempt(store, { databaseId, id }, { now: new Date(now()) })
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return attempt && isEqual(challenge, attempt.challenge) ? attempt : undefined
}

async function findNetwork(
  { store, throttle }: AppContext,
  { database, caller }: DatabaseRequest,
  { canonicalEmail }: FoundAttempt,
) {
  const keys = throttle.keys.attempt(database.id, canonicalEmail, caller.clientAddress)
  const account = { databaseId: database.id, canonicalEmail }
  const { user, networkKnownAt: knownAt } = await findLogin(store, account, keys)
  return { hasAccount: user !== undefined, network: keys.network, knownAt }
}
