import type { FinishedLogin, FinishLoginBody } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { findPending } from '../../store/queries/acceptances.js'
import { findIdentities, findIdentityUserId, lockIdentityHolder } from '../../store/queries/identities.js'
import { findLogin, type Login } from '../../store/queries/login.js'
import {
  type FoundAttempt,
  findAddressHolder,
  findAttempt,
  type ReturnedAttempt,
  useAttempt,
  useAttemptOfKnown,
} from '../../store/queries/login-attempts.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Queries } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type Outcome, runChange } from '../change.js'
import { findEnabled } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import { loginMailOf, type RuleDatabase } from '../databases/find-database.js'
import { ifStepMissing, proveStep } from '../factors/step.js'
import { type Accepted, askBeforeSignUp } from '../hooks/sign-up-hook.js'
import { requireInvitation } from '../invitations/code.js'
import type { Secrets } from '../keys/database-secrets.js'
import { Problem, unless } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'
import type { DatabaseRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { signUpWithinLimit } from '../throttle/request-allowance.js'
import type { TokenUser } from '../tokens/access-token.js'
import { Authentication, missingStep, type SecondStep } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { logIn, signUp } from './apply.js'
import { addressOf, choose, type Facts, type NewUserFields, type Proof } from './choose.js'
import { proveDigits, requireAttempt, requireDigits } from './mail.js'
import { logInToTenant } from './sso.js'

type Request = DatabaseRequest<FinishLoginBody>

/** A login that the client has started and proven. */
interface ProvenLogin {
  proof: Proof
  way: 'mail' | 'idp'
  /** The account that would log in, as it was read. */
  user: Login['user']
  /** Whether it was found by its identity, and not by its address. */
  isKnownIdentity: boolean
  /** The network of the client. */
  network: Uint8Array
  /** When the user last logged in from it. Null if never. */
  knownAt: Date | null
}

/**
 * Logs in the user who has received the mail of a login, or who has an identity that a provider has returned. Links the identity, or
 * signs the person up. A refused request uses up neither the code nor the proof of a second factor. The same success can be repeated
 * for a short time, and returns a token with the same id.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`; those of `choose` and of a second step;
 * `too_many_sign_ups`; `sign_up_refused`; `unavailable`; `email_taken`
 */
export async function finishLogin(context: AppContext, request: Request): Promise<FinishedLogin> {
  const started = await findReturned(context, request)
  if (started?.kind === 'external' && isUuid(started.connection))
    return logInToTenant(context, request, started)
  const login = await prove(context, request, started)
  const { network, knownAt, proof } = login
  const second = await proveSecondStep(context, request, login)
  const proven = { ...login, second }
  const { user, authentication, at, isNewUser } = await logKnownIn(context, request, proven)
    .then((known) => known ?? logInOrSignUp(context, request, proven))
    // The user needs a second step since the login was read.
    .catch(ifStepMissing(context, request.database, proof.attempt))
  const signedIn = await completeLogin(context, request, {
    user: { ...user, disabledAt: null },
    authentication,
    readAt: at.getTime(),
    tokenId: proof.attempt.id,
    network: { user, network, knownAt },
  })
  return { ...signedIn, isNewUser }
}

/** Returns the login of the code of a request. Undefined: it has digits instead. @throws {Problem} `code_invalid` */
const findReturned = async (context: AppContext, { database, body: { code, verifier } }: Request) =>
  code === undefined ? undefined : requireAttempt(context, database.id, { code, verifier })

/**
 * Verifies that the client has received the mail of a login, or its result from a provider, and that it has started the login. A
 * wrong verifier is like an unknown login: it counts nothing, and does not reveal whether the rest is right. Then reads the user.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`
 */
async function prove(
  context: AppContext,
  request: Request,
  attempt: FoundAttempt | undefined,
): Promise<ProvenLogin> {
  const { database, body, caller } = request
  const { verifier, mail } = body
  const databaseId = database.id
  if (!attempt) {
    const { attempt, ...account } = await proveDigits(context, request, requireDigits(body))
    return { proof: { kind: 'mail', attempt }, way: 'mail', isKnownIdentity: false, ...account }
  }
  let proof: Proof
  let id: string | undefined
  if (attempt.kind === 'mail') {
    if (loginMailOf(database) === 'off') throw new Problem('code_invalid')
    proof = { kind: 'mail', attempt }
  } else {
    const { connection } = attempt
    const claims = attempt.claims as ProviderClaims
    id = await findIdentityUserId(context.store, { ...claims, databaseId, connection })
    const digits = mail && { id: mail.login, verifier, digits: mail.digits }
    const mailed = digits && (await proveDigits(context, request, digits)).attempt
    proof = { kind: 'external', attempt, claims, mail: mailed }
  }
  const canonicalEmail = (!id && addressOf(proof)?.canonicalEmail) || ''
  const keys = context.throttle.keys.attempt(databaseId, canonicalEmail, caller.clientAddress)
  const account = { databaseId, ...(id ? { id } : { canonicalEmail }) }
  const { user, networkKnownAt: knownAt } = await findLogin(context.store, account, keys)
  const way = proof.kind === 'mail' ? 'mail' : 'idp'
  return { proof, way, user, isKnownIdentity: id !== undefined, network: keys.network, knownAt }
}

/**
 * Verifies the second step of a login, if the user needs one. Everything else that refuses the login refuses it before, so that it
 * does not use the proof up.
 *
 * @throws {Problem} `second_factor_required`; `enrolment_required`; `second_factor_invalid`; `too_many_attempts`; those of `choose`
 */
async function proveSecondStep(
  context: AppContext,
  request: Request,
  { proof, way, user, isKnownIdentity }: ProvenLogin,
): Promise<SecondStep | undefined> {
  const { database, body } = request
  const now = new Date(context.now())
  if (!user || !missingStep(database, user, now.getTime())) return undefined
  const secrets = await context.findSecrets(database.id)
  const login = { proof, body, user: holderOf(user), isKnownIdentity }
  const choice = choose(
    database,
    await readFacts({ query: context.store.query, database, now, secrets }, login),
  )
  if (choice.kind === 'logIn' && choice.isReclaimed) return undefined
  return proveStep(context, request, { ...proof.attempt, user, way, proof: body.secondFactor })
}

/** Returns a user who was read as one who has an address. */
const holderOf = (user: UserOfToken | NonNullable<Login['user']>) => ({
  disabledAt: null,
  ...user,
  canonicalEmail: requireCanonicalEmail(user.email),
})

interface Reading extends Queries {
  database: RuleDatabase
  now: Date
  secrets: Secrets
}

/** Reads what decides a login, apart from its user. */
async function readFacts(
  { query, database, now, secrets }: Reading,
  login: Pick<Facts, 'proof' | 'body' | 'user' | 'isKnownIdentity'>,
): Promise<Facts> {
  const { proof, body, user, isKnownIdentity } = login
  const databaseId = database.id
  const connections = proof.kind === 'external' ? await findEnabled({ query }, databaseId) : []
  const connection = connections.find(({ name }) => name === (proof.attempt as ReturnedAttempt).connection)
  const none = { identities: [], invitation: undefined, pending: undefined }
  if (proof.attempt.usedAt) return { ...login, connection, ...none }
  const mayLink = proof.kind === 'external' && user && !isKnownIdentity
  const identities = mayLink ? await findIdentities({ query }, { databaseId, userId: user.id }) : []
  const { invitationCode } = body
  const stored = { findSecrets: async () => secrets, store: { query }, now: () => now.getTime() }
  const invitation = invitationCode
    ? await requireInvitation(stored, database, invitationCode).catch(unless('code_invalid'))
    : undefined
  const pending = invitation && (await findPending({ query }, { databaseId, codeId: invitation.codeId }, now))
  return { ...login, connection, identities, invitation, pending }
}

/** A login whose user has proven the second step, if there is one. */
type Finishing = ProvenLogin & { second: SecondStep | undefined }

/** A login that has succeeded. */
interface Success {
  user: TokenUser & Pick<UserOfToken, 'createdAt'>
  authentication: Authentication
  /** When the user has logged in. */
  at: Date
  isNewUser: boolean
}

/**
 * Logs in the user of a known identity by one statement. Most logins at providers are of this kind: nothing is linked, and nobody
 * joins a tenant.
 *
 * @returns undefined if the login is of another kind, if the attempt was used, or if the user has changed meanwhile
 */
async function logKnownIn(
  { store, now }: AppContext,
  { database, caller, body }: Request,
  { proof, user, isKnownIdentity, second }: Finishing,
): Promise<Success | undefined> {
  if (proof.kind !== 'external' || !user || !isKnownIdentity || user.disabledAt || body.invitationCode)
    return undefined
  const { id, usedAt, connection } = proof.attempt
  if (usedAt) return undefined
  const at = new Date(now())
  const authentication = Authentication.afterSteps(database, user, { way: 'idp', at: at.getTime(), second })
  const databaseId = database.id
  if (!(await useAttemptOfKnown(store, { databaseId, id }, { user, now: at }))) return undefined
  audit(caller.log, 'login.succeeded', { databaseId, userId: user.id, way: 'external', connection })
  return { user, authentication, at, isNewUser: false }
}

/** Logs in or signs up in a transaction, and again if another request has linked or signed up the same person meanwhile. */
async function logInOrSignUp(context: AppContext, request: Request, login: Finishing): Promise<Success> {
  // Read before the transaction, in which a store with one connection could not read them.
  const secrets = await context.findSecrets(request.database.id)
  const { body } = request
  let accepted: Accepted | undefined
  const run = async (count?: CountRequest) => {
    if (!login.user) accepted ??= await askAbout(context, request, { ...login, secrets })
    return runChange(context, request, (change) =>
      inChange(change, { ...login, body, secrets, count, accepted }),
    )
  }
  return (login.user ? run() : signUpWithinLimit(context, request, run))
    .catch((error) => (isUniqueViolation(error) ? run() : Promise.reject(error)))
    .catch((error) => {
      throw isUniqueViolation(error) ? new Problem('email_taken', { cause: error }) : error
    })
}

/** Asks the hook of a database about a login that would sign a person up. */
async function askAbout(
  context: AppContext,
  request: Request,
  { proof, secrets }: Finishing & { secrets: Secrets },
): Promise<Accepted | undefined> {
  const { database, body } = request
  if (database.signUpHookUrl === null || proof.attempt.usedAt) return undefined
  const { store, now } = context
  const reading = { query: store.query, database, now: new Date(now()), secrets }
  const facts = await readFacts(reading, { proof, body, user: undefined, isKnownIdentity: false })
  const choice = choose(database, facts)
  if (choice.kind !== 'signUp') return undefined
  const known = proof.kind === 'external' ? { ...proof.claims, ...proof.attempt } : undefined
  return askBeforeSignUp(context, request, {
    email: choice.address.email,
    way: proof.kind,
    connection: known?.connection,
    preferredName: body.preferredName ?? known?.preferredName,
    locale: body.locale ?? known?.locale,
    invitedTo: facts.invitation?.tenantId,
    newTenant: body.newTenant,
  })
}

interface Deciding extends Finishing {
  /** What the hook has answered about a sign-up. */
  accepted: Accepted | undefined
  body: NewUserFields
  secrets: Secrets
  /** Counts a sign-up. Throws if a limit is reached. */
  count: CountRequest | undefined
}

/** Locks the login and then its user, and decides again. */
async function inChange(change: Change, login: Deciding): Promise<Outcome<Success>> {
  const { body, way, secrets, second, count, accepted } = login
  const { database, now } = change
  const key = { databaseId: database.id, id: login.proof.attempt.id }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (!attempt) throw new Problem('code_invalid')
  const proof = { ...login.proof, attempt } as Proof
  const { usedAt, userId } = attempt
  const used = usedAt ? await findUserOfToken(change, { ...key, id: userId as string }) : undefined
  const found = usedAt
    ? { user: used && holderOf(used), isKnownIdentity: false }
    : await lockHolder(change, proof)
  const facts = await readFacts({ ...change, secrets }, { proof, body, ...found })
  const choice = choose(database, facts)
  if (choice.kind === 'repeat') {
    const user = used as UserOfToken
    const at = usedAt as Date
    const authentication = Authentication.afterSteps(database, user, { way, at: at.getTime(), second })
    const isNewUser = user.createdAt.getTime() === at.getTime()
    return { result: { user, authentication, at, isNewUser }, facts: [] }
  }
  const isNewUser = choice.kind === 'signUp'
  // The user was deleted since the login was read, so the hook was not asked.
  if (isNewUser && database.signUpHookUrl !== null && !accepted) throw new Problem('unavailable')
  const { id, ...changed } = isNewUser
    ? await signUp(change, facts, { ...choice, count, accepted })
    : await logIn(change, facts, choice)
  const user = (await findUserOfToken(change, { ...key, id })) as UserOfToken
  const proven = { way, at: now.getTime(), second } as const
  const isFirst = isNewUser || choice.isReclaimed
  const authentication = isFirst
    ? Authentication.ofSignUp(user, proven)
    : Authentication.afterSteps(database, user, proven)
  const mailed = proof.kind === 'external' && proof.mail ? [proof.mail] : []
  for (const used of [attempt, ...mailed])
    await useAttempt(change, { ...key, id: used.id }, { userId: id, generation: user.generation, now })
  return { result: { user, authentication, at: now, isNewUser }, ...changed }
}

/** Locks the user who has the identity of a login, or else its address. */
async function lockHolder(change: Change, proof: Proof): Promise<Pick<Facts, 'user' | 'isKnownIdentity'>> {
  const databaseId = change.database.id
  const known =
    proof.kind === 'external'
      ? await lockIdentityHolder(change, {
          ...proof.claims,
          databaseId,
          connection: proof.attempt.connection,
        })
      : undefined
  const address = known ? undefined : addressOf(proof)
  if (!address) return { user: known, isKnownIdentity: known !== undefined }
  const { canonicalEmail } = address
  const user = await findAddressHolder(change, databaseId, { canonicalEmail, lock: true })
  return { user: user && { ...user, canonicalEmail }, isKnownIdentity: false }
}
