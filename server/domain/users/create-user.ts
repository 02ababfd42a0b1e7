import type { CreateUserBody, IdempotencyHeaders, ProofHeaders, SignedInUser } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import { insertUser, type NewSignUp } from '../../store/queries/sign-up.js'
import { profileOf } from '../../store/queries/user-fields.js'
import { audit } from '../../telemetry/audit.js'
import { requireProof } from '../bot-check.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { sendVerificationAtSignUp } from '../codes/request-code.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventMessages, signUpEvents } from '../events/events.js'
import { askBeforeSignUp } from '../hooks/sign-up-hook.js'
import { type Acceptance, acceptanceEvents, acceptWithSignUp } from '../invitations/accept.js'
import { requireInvitation } from '../invitations/code.js'
import { recordHashParameters } from '../passwords/authenticate.js'
import { requireNewPassword } from '../passwords/policy.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { signUpWithinLimit } from '../throttle/request-allowance.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { hashIdempotencyKey, replaySignUp } from './idempotent-replay.js'

/**
 * Signs a user up (docs/specification.md, section 4.1). Writes user, tenant and membership in one statement, or
 * nothing. With an invitation, writes them with the membership of its tenant in one transaction.
 *
 * With an Idempotency-Key, repeating the sign-up returns the same user.
 *
 * @throws {Problem} `sign_up_closed`; `validation_failed` by the database's password policy; `code_invalid`;
 * `invitation_for_other_address`; `seats_full`; `email_taken`; `idempotency_key_reused`; `too_many_attempts` if the
 * client's network has failed too often; `too_many_sign_ups`; `proof_required`; `proof_invalid`; `sign_up_refused`; `unavailable`
 */
export async function createUser(context: AppContext, request: SignUpRequest): Promise<SignedInUser> {
  const { database, body, headers, caller } = request
  if (!database.signUp && !body.invitationCode) throw new Problem('sign_up_closed')
  await requireNewPassword(context, database, { ...body, field: 'password' })
  const idempotencyHeader = headers['idempotency-key']
  const key = idempotencyHeader === undefined ? undefined : hashIdempotencyKey(idempotencyHeader)
  const sources = context.throttle.keys.sources(database.id, caller.clientAddress)
  const refusal = context.networkAllowance.refusal(database, sources)
  if (refusal) throw refusal
  const replay = async () => key && replaySignUp(context, request, key)
  const previous = await replay()
  if (previous) return previous
  try {
    return await signUpWithinLimit(context, request, (count) =>
      signUp(context, request, { idempotencyKey: key, count }),
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // A concurrent request with the same key may have taken the email, or used the code or the proof.
    const concurrent =
      ['email_taken', 'code_invalid', 'proof_invalid'].includes(error.code) && (await replay())
    if (concurrent) return concurrent
    if (error.code === 'email_taken') await context.networkAllowance.countFailure(database, sources)
    throw error
  }
}

type SignUpRequest = DatabaseRequest<CreateUserBody> & { headers: IdempotencyHeaders & ProofHeaders }

async function signUp(
  context: AppContext,
  request: SignUpRequest,
  { idempotencyKey, count }: { idempotencyKey: Uint8Array | undefined; count?: CountRequest | undefined },
) {
  const { database, body, caller } = request
  const canonicalEmail = requireCanonicalEmail(body.email)
  const invitation = body.invitationCode
    ? await requireInvitation(context, database, body.invitationCode)
    : undefined
  if (invitation && invitation.canonicalEmail !== canonicalEmail)
    throw new Problem('invitation_for_other_address')
  // An invitation proves as much.
  if (!invitation) await requireProof(context, request, { operation: 'createUser', purpose: 'sign_up' })
  const { email, newTenant } = body
  const person = {
    ...profileOf(body),
    email,
    newTenant,
    way: 'password',
    invitedTo: invitation?.tenantId,
  } as const
  const accepted = await askBeforeSignUp(context, request, person)
  const passwordHash = await context.hashing.hash(body.password, caller)
  const now = new Date(context.now())
  const user = {
    databaseId: database.id,
    id: uuidv7(),
    email: body.email,
    canonicalEmail,
    passwordHash,
    ...profileOf(body),
    ...accepted,
    createdAt: now,
    generation: now.getTime(),
  }
  const tenant = body.newTenant ? { id: uuidv7(), name: body.newTenant } : undefined
  const acceptance = invitation && { database, invitation, userId: user.id, now }
  const joined = acceptance ? acceptanceEvents(acceptance) : []
  const messages = eventMessages(database, now, [...signUpEvents(user.id, tenant?.id), ...joined])
  await insert(context, database, { user, tenant, idempotencyKey, messages, acceptance, count })
  context.deliver(messages)
  // Of the same time, so ordered by id.
  const memberships = [
    ...(invitation ? [{ id: invitation.tenantId, role: invitation.role }] : []),
    ...(tenant ? [{ id: tenant.id, role: 'owner' }] : []),
  ].sort((one, other) => (one.id < other.id ? -1 : 1))
  const emailVerifiedAt = invitation ? now : null
  const signedUp = await completeLogin(context, request, {
    user: { ...user, memberships, tenantsVersion: 0, emailVerifiedAt, disabledAt: null },
    authentication: Authentication.ofSignUp(user, { way: 'pwd', at: now.getTime() }),
    readAt: now.getTime(),
    event: 'user.created',
  })
  // The code of an invitation has proven the address.
  if (!invitation) await sendVerificationAtSignUp(context, request, user)
  for (const { type, ...ids } of joined) audit(caller.log, type, { databaseId: database.id, ...ids })
  return signedUp
}

type Insertion = Omit<NewSignUp, 'invitation' | 'isVerified'> & {
  messages: readonly NewMessage[]
  acceptance: Acceptance | undefined
  /** Counts the sign-up. Throws if a limit is reached. */
  count: CountRequest | undefined
}

/** @throws {Problem} `email_taken`, also if a concurrent request has used the Idempotency-Key */
async function insert(
  context: AppContext,
  database: Database,
  { messages, acceptance, count, ...signUp }: Insertion,
) {
  try {
    // Before the insert, so that a failure of the store in between leaves no user whose sign-up was rejected.
    await recordHashParameters(context, database)
    const insertWith = (transaction: Pick<AppContext['store'], 'query'>) =>
      insertUser(
        transaction,
        { ...signUp, invitation: acceptance?.invitation, isVerified: acceptance !== undefined },
        messages,
      )
    if (!count && !acceptance) return await insertWith(context.store)
    await context.store.transaction(database.id, async (query) => {
      await (acceptance ? acceptWithSignUp({ query }, acceptance, insertWith) : insertWith({ query }))
      // Last, because sign-ups from one network wait for this lock.
      await count?.({ query })
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem('email_taken')
    ifDatabaseDeleted()(error)
  }
}
