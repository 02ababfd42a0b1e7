import type { FinishedLogin, FinishLoginBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { type FoundAttempt, findAttempt, useAttempt } from '../../store/queries/login-attempts.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { type Change, type Outcome, runChange } from '../change.js'
import { requireEnabled } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import { withSecondStep } from '../factors/step.js'
import type { Acceptance } from '../invitations/accept.js'
import { requireInvitation } from '../invitations/code.js'
import type { Secrets } from '../keys/database-secrets.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { Authentication, type SecondStep } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { signUpWithinLimit } from '../users/sign-up-limit.js'
import { decideLogin } from './decide-login.js'
import { type Finishing, logKnownIn, type Success } from './known-identity.js'
import type { NewUserFields } from './new-user-fields.js'
import { type ProvenLogin, requireProof } from './proof.js'

/**
 * Logs in the user who has received the mail of a login, or who has an identity that a provider has returned. Links the identity, or
 * signs the person up. A refused request does not use up the code. The same success can be repeated for a short time, and returns a
 * token with the same id.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`; those of `decideLogin` and of a second step;
 * `account_missing`; `sign_up_closed`; `too_many_sign_ups`; `email_taken`; `invitation_for_other_address`; `seats_full`
 */
export const finishLogin = async (
  context: AppContext,
  request: DatabaseRequest<FinishLoginBody>,
): Promise<FinishedLogin> => finishProven(context, request, await requireProof(context, request))

type Request = DatabaseRequest<NewUserFields>

/** Finishes a login that the client has proven: see {@link finishLogin}. */
export async function finishProven(
  context: AppContext,
  request: Request,
  proven: ProvenLogin,
): Promise<FinishedLogin> {
  const { attempt } = proven.proof
  const { user, authentication, at, isNewUser } = await withSecondStep(context, request, {
    id: attempt.id,
    proof: request.body.secondFactor,
    ...(attempt.kind === 'external' && { connection: attempt.connection }),
    run: async (second) =>
      (await logKnownIn(context, request, { ...proven, second })) ??
      decide(context, request, { ...proven, second }),
  })
  const { network, knownAt } = proven
  const signedIn = await completeLogin(context, request, {
    user: { ...user, disabledAt: null },
    authentication,
    readAt: at.getTime(),
    tokenId: attempt.id,
    network: { user, network, knownAt },
  })
  return { ...signedIn, isNewUser }
}

/** Decides a login in a transaction, and again if another request has linked or signed up the same person meanwhile. */
async function decide(context: AppContext, request: Request, login: Finishing): Promise<Success> {
  // Read before the transaction, in which a store with one connection could not read them.
  const secrets = await context.findSecrets(request.database.id)
  const run = (count?: CountRequest) =>
    runChange(context, request, (change) => inChange(change, request.body, { ...login, secrets, count }))
  const first = () => (login.user ? run() : signUpWithinLimit(context, request, run))
  return first()
    .catch((error) => (isUniqueViolation(error) ? run() : Promise.reject(error)))
    .catch((error) => {
      throw isUniqueViolation(error) ? new Problem('email_taken', { cause: error }) : error
    })
}

type Deciding = Finishing & {
  secrets: Secrets
  count: CountRequest | undefined
}

/** Locks the login and then its user, and logs the user in. */
async function inChange(change: Change, body: NewUserFields, login: Deciding): Promise<Outcome<Success>> {
  const { database, now } = change
  const { proof, second } = login
  const key = { databaseId: database.id, id: proof.attempt.id }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (!attempt) throw new Problem('code_invalid')
  const isExternal = proof.kind === 'external'
  const connection = isExternal ? await requireEnabled(change, proof.attempt.connection) : undefined
  const way = isExternal ? 'idp' : 'mail'
  if (attempt.usedAt) return repeated(change, attempt, { way, at: attempt.usedAt, second })
  const acceptanceOf = (canonicalEmail: string, userId = uuidv7()) =>
    acceptanceIn(change, body, { canonicalEmail, userId, secrets: login.secrets })
  const decided = await decideLogin(change, { ...login, connection, body, acceptanceOf })
  const { userId, isFirst, isNewUser, facts, mails } = decided
  const user = (await findUserOfToken(change, { databaseId: database.id, id: userId })) as UserOfToken
  const proven = { way, at: now.getTime(), second } as const
  const authentication = isFirst
    ? Authentication.ofSignUp(user, proven)
    : Authentication.afterSteps(database, user, proven)
  const mailed = isExternal && proof.mail ? [{ ...key, id: proof.mail.id }] : []
  for (const used of [key, ...mailed])
    await useAttempt(change, used, { userId, generation: user.generation, now })
  return { result: { user, authentication, at: now, isNewUser }, facts, ...(mails && { mails }) }
}

/** Returns what an earlier request has decided, unless the tokens of the user were revoked since. */
async function repeated(
  change: Change,
  { userId, generation }: FoundAttempt,
  { at, ...proven }: { way: 'idp' | 'mail'; at: Date; second: SecondStep | undefined },
): Promise<Outcome<Success>> {
  const { database } = change
  const user = await findUserOfToken(change, { databaseId: database.id, id: userId as string })
  if (user?.generation !== generation) throw new Problem('code_invalid')
  const isNewUser = user.createdAt.getTime() === at.getTime()
  const authentication = Authentication.afterSteps(database, user, { ...proven, at: at.getTime() })
  return { result: { user, authentication, at, isNewUser }, facts: [] }
}

/** @throws {Problem} `code_invalid`; `invitation_for_other_address` */
async function acceptanceIn(
  { query, database, now }: Change,
  { invitationCode }: NewUserFields,
  { canonicalEmail, secrets, userId }: { canonicalEmail: string; secrets: Secrets; userId: string },
): Promise<Acceptance | undefined> {
  if (!invitationCode) return undefined
  const context = { findSecrets: async () => secrets, store: { query }, now: () => now.getTime() }
  const invitation = await requireInvitation(context, database, invitationCode)
  if (invitation.canonicalEmail !== canonicalEmail) throw new Problem('invitation_for_other_address')
  return { database, invitation, userId, now }
}
