import type { CreateUserBody, IdempotencyHeaders, SignedInUser } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation, isUniqueViolation } from '../../store/errors.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import { insertUser, type NewSignUp } from '../../store/queries/sign-up.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventMessages, signUpEvents } from '../events/events.js'
import { requireNewPassword } from '../passwords/policy.js'
import { databaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { requireCanonicalEmail } from './canonical-email.js'
import { hashIdempotencyKey, replaySignUp } from './idempotent-replay.js'
import { signedIn } from './signed-in.js'
import { recordHashParameters } from './verify-password.js'

/**
 * Signs a user up (docs/specification.md, section 4.1). Writes user, tenant and membership in one statement, or
 * nothing.
 *
 * With an Idempotency-Key, repeating the sign-up returns the same user.
 *
 * @throws {Problem} `sign_up_closed`; `validation_failed` by the database's password policy; `email_taken`;
 * `idempotency_key_reused`; `too_many_attempts` if the client's network has failed too often; `unavailable`
 */
export async function createUser(
  context: AppContext,
  request: DatabaseRequest<CreateUserBody> & { headers: IdempotencyHeaders },
): Promise<SignedInUser> {
  const { database, body, headers, caller } = request
  if (!database.signUp) throw new Problem('sign_up_closed')
  await requireNewPassword(context, database, { ...body, field: 'password' })
  const idempotencyHeader = headers['idempotency-key']
  const key = idempotencyHeader === undefined ? undefined : hashIdempotencyKey(idempotencyHeader)
  const network = context.throttle.keys.network(database.id, caller.address)
  context.networkAllowance.assertLeft(database, network)
  const previous = key && (await replaySignUp(context, request, key))
  if (previous) return signedIn(database, previous.user, previous)

  const passwordHash = await context.hashing.hash(body.password, caller)
  const now = new Date(context.now())
  const user = {
    databaseId: database.id,
    id: uuidv7(),
    email: body.email,
    canonicalEmail: requireCanonicalEmail(body.email),
    passwordHash,
    preferredName: body.preferredName ?? null,
    createdAt: now,
    generation: now.getTime(),
  }
  const tenant = body.newTenant ? { id: uuidv7(), name: body.newTenant } : undefined
  const messages = eventMessages(database, now, signUpEvents(user.id, tenant?.id))
  if (await insert(context, database, { user, tenant, idempotencyKey: key, messages })) {
    context.deliver(messages)
    audit(caller.log, 'user.created', { databaseId: database.id, userId: user.id })
    const tenants = tenant ? [tenant.id] : []
    return signedIn(
      database,
      { ...user, tenants, tokensValidAfter: null, emailVerifiedAt: null },
      { readAt: now.getTime() },
    )
  }
  const concurrent = key && (await replaySignUp(context, request, key))
  if (concurrent) return signedIn(database, concurrent.user, concurrent)
  await context.networkAllowance.countFailure(database, network)
  throw new Problem('email_taken')
}

/** Returns false if the email address, or the Idempotency-Key by a concurrent request, is taken. */
async function insert(
  context: AppContext,
  database: Database,
  { messages, ...signUp }: NewSignUp & { messages: readonly NewMessage[] },
) {
  try {
    // Before the insert, so that a failure of the store in between leaves no user whose sign-up was rejected.
    await recordHashParameters(context, database)
    await insertUser(context.store, signUp, messages)
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
  }
}
