import type { FinishedLogin, FinishLoginBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import {
  type AddressHolder,
  type FoundAttempt,
  findAddressHolder,
  findAttempt,
  useAttempt,
} from '../../store/queries/login-attempts.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { type Change, type Fact, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { type Acceptance, acceptWithSignUp, joinEvents } from '../invitations/accept.js'
import { requireInvitation } from '../invitations/code.js'
import type { Secrets } from '../keys/database-secrets.js'
import { Problem } from '../problem.js'
import { reclaim } from '../reclaim.js'
import type { DatabaseRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../users/complete-login.js'
import { signUpWithinLimit } from '../users/sign-up-limit.js'
import { type ProvenLogin, requireProof } from './proof.js'
import { signUpByMail } from './sign-up-by-mail.js'

type Request = DatabaseRequest<FinishLoginBody>

/**
 * Logs in the user who has received the mail of a login, or signs the address up. A refused request does not use up the mail.
 * The same success can be repeated for a short time, and returns a token with the same id.
 *
 * @throws {Problem} `validation_failed`; `code_invalid`; `too_many_attempts`; `login_refused`; `account_missing`;
 * `sign_up_closed`; `too_many_sign_ups`; `email_taken`; `invitation_for_other_address`; `seats_full`
 */
export async function finishLogin(context: AppContext, request: Request): Promise<FinishedLogin> {
  const proven = await requireProof(context, request)
  // Read before the transaction, in which a store with one connection could not read them.
  const secrets = await context.findSecrets(request.database.id)
  const finish = (hasAccount: boolean) =>
    decideWithinLimit(context, request, { ...proven, hasAccount, secrets })
  const { user, at, isNewUser } = await finish(proven.hasAccount)
    // Another request has signed the address up meanwhile. Then this one logs the user in.
    .catch((error) => (isUniqueViolation(error) ? finish(true) : Promise.reject(error)))
    .catch((error) => {
      throw isUniqueViolation(error) ? new Problem('email_taken', { cause: error }) : error
    })
  const { attempt, network, knownAt } = proven
  const signedIn = await completeLogin(context, request, {
    user: { ...user, disabledAt: null },
    authentication: Authentication.ofSignUp(user, { way: 'mail', at: at.getTime() }),
    readAt: at.getTime(),
    tokenId: attempt.id,
    network: { user, network, knownAt },
  })
  return { ...signedIn, isNewUser }
}

interface Decision {
  user: UserOfToken
  /** When the user has logged in. */
  at: Date
  isNewUser: boolean
}

type Proof = ProvenLogin & { secrets: Secrets }

function decideWithinLimit(context: AppContext, request: Request, proof: Proof) {
  const finish = (count?: CountRequest) =>
    runChange(context, request, (change) => decide(change, request.body, { ...proof, count }))
  return proof.hasAccount ? finish() : signUpWithinLimit(context, request, finish)
}

/** Locks the login and then its user, and logs the user in. */
async function decide(
  change: Change,
  body: FinishLoginBody,
  { attempt: { id, canonicalEmail }, secrets, count }: Proof & { count?: CountRequest | undefined },
): Promise<Outcome<Decision>> {
  const { database, now } = change
  const key = { databaseId: database.id, id }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (!attempt) throw new Problem('code_invalid')
  if (attempt.usedAt) return repeated(change, attempt, attempt.usedAt)
  const holder = await findAddressHolder(change, database.id, { canonicalEmail, lock: true })
  if (holder?.disabledAt) throw new Problem('login_refused')
  // The tokens of the user were revoked since, the user was deleted, or has another address.
  if (attempt.generation !== null && attempt.generation !== holder?.generation)
    throw new Problem('code_invalid')
  const acceptance = await acceptanceOf(change, body, {
    canonicalEmail,
    secrets,
    userId: holder?.id ?? uuidv7(),
  })
  const { userId, facts } = holder
    ? await logIn(change, holder, acceptance)
    : await signUpByMail(change, body, { attempt, acceptance, count })
  const user = (await findUserOfToken(change, { databaseId: database.id, id: userId })) as UserOfToken
  await useAttempt(change, key, { userId, generation: user.generation, now })
  return { result: { user, at: now, isNewUser: !holder }, facts }
}

/** Returns what an earlier request has decided, unless the tokens of the user were revoked since. */
async function repeated(
  change: Change,
  { userId, generation }: FoundAttempt,
  at: Date,
): Promise<Outcome<Decision>> {
  const user = await findUserOfToken(change, { databaseId: change.database.id, id: userId as string })
  if (user?.generation !== generation) throw new Problem('code_invalid')
  const isNewUser = user.createdAt.getTime() === at.getTime()
  return { result: { user, at, isNewUser }, facts: [] }
}

/** @throws {Problem} `code_invalid`; `invitation_for_other_address` */
async function acceptanceOf(
  { query, database, now }: Change,
  { invitationCode }: FinishLoginBody,
  { canonicalEmail, secrets, userId }: { canonicalEmail: string; secrets: Secrets; userId: string },
): Promise<Acceptance | undefined> {
  if (!invitationCode) return undefined
  const context = { findSecrets: async () => secrets, store: { query }, now: () => now.getTime() }
  const invitation = await requireInvitation(context, database, invitationCode)
  if (invitation.canonicalEmail !== canonicalEmail) throw new Problem('invitation_for_other_address')
  return { database, invitation, userId, now }
}

async function logIn(
  change: Change,
  { id: userId, emailVerifiedAt }: AddressHolder,
  acceptance: Acceptance | undefined,
): Promise<{ userId: string; facts: Fact[] }> {
  const reclaimed = emailVerifiedAt ? [] : await reclaim(change, userId)
  if (acceptance) await acceptWithSignUp(change, acceptance, async () => undefined)
  const joined = acceptance ? joinEvents(acceptance) : []
  return { userId, facts: [{ type: 'login.succeeded', userId, way: 'mail' }, ...reclaimed, ...joined] }
}
