import {
  type CreateUserBody,
  canonicalEmail,
  type LoginBody,
  type SignedInUser,
  type User,
} from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation, isUniqueViolation } from '../../store/errors.js'
import * as statements from '../../store/queries/users.js'
import { audit, type Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { passwordErrors } from '../passwords/policy.js'
import { Problem } from '../problem.js'
import { isRevoked, issueToken, type TokenClaims } from '../tokens/access-token.js'
import { idempotencyKeyOf, replaySignUp } from './idempotent-replay.js'
import { recordHashParameters, rehashPassword, verifyPassword } from './verify-password.js'

/**
 * Signs a user up (specification section 4.1): user, tenant and membership in one statement, or none.
 *
 * @param idempotencyHeader the request's Idempotency-Key: the same sign-up sent again gets the same user
 * @throws {Problem} `validation_failed` by the database's password policy; `email_taken`;
 * `idempotency_key_reused`; `unavailable`
 */
export async function createUser(
  context: AppContext,
  database: Database,
  body: CreateUserBody,
  caller: Caller,
  idempotencyHeader?: string,
): Promise<SignedInUser> {
  const errors = passwordErrors(database.passwordPolicy, body.password, body.email)
  if (errors.length > 0) throw new Problem('validation_failed', { errors })
  const key = idempotencyHeader === undefined ? undefined : idempotencyKeyOf(idempotencyHeader)
  const again = key && (await replaySignUp(context, database, body, caller, key))
  if (again) return signedIn(context, database, again)

  const user = {
    databaseId: database.id,
    id: uuidv7(),
    email: body.email,
    canonicalEmail: requireCanonicalEmail(body.email),
    passwordHash: await context.hashing.hash(body.password, caller),
    preferredName: body.preferredName ?? null,
    createdAt: new Date(context.now()),
  }
  const tenant = body.newTenant === undefined ? undefined : { id: uuidv7(), name: body.newTenant }
  // First: a store that goes away between the two leaves no user whose sign-up was refused.
  await recordHashParameters(context, database)
  if (await insertUser(context, user, tenant, key)) {
    audit(caller.log, 'user.created', { databaseId: database.id, userId: user.id })
    const tenants = tenant ? [tenant.id] : []
    return signedIn(context, database, { id: user.id, tenants, tokensValidAfter: null })
  }
  const sentAtOnce = key && (await replaySignUp(context, database, body, caller, key))
  if (sentAtOnce) return signedIn(context, database, sentAtOnce)
  throw new Problem('email_taken')
}

/** False where the address, or the Idempotency-Key by a request sent at the same time, is taken. */
async function insertUser(context: AppContext, ...row: Rest<typeof statements.insertUser>) {
  try {
    return await statements.insertUser(context.store, ...row)
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw isForeignKeyViolation(error) ? databaseGone(error) : error
  }
}

/** Servers know a database for some seconds after its deletion; what they write then has nowhere to go. */
const databaseGone = (cause: unknown) => new Problem('database_not_found', { cause })

type Rest<F> = F extends (first: never, ...rest: infer R) => unknown ? R : never

/**
 * Logs a user in (specification section 4.2). A hash that is not of the current algorithm and cost is
 * replaced on the way.
 *
 * @throws {Problem} `invalid_credentials`, the same and after the same work for an unknown address, a wrong
 * password and a disabled user; `too_many_attempts`; `unavailable`
 */
export async function login(
  context: AppContext,
  database: Database,
  body: LoginBody,
  caller: Caller,
): Promise<SignedInUser> {
  const { store, throttle } = context
  const databaseId = database.id
  const key = requireCanonicalEmail(body.email)
  const attempt = throttle.attempt(databaseId, key, caller.address)
  const { user, failures } = await statements.findLogin(store, databaseId, key, attempt)
  const about = { databaseId, ...(user && { userId: user.id }) }
  const verify = () => verifyPassword(context, database, user, body.password, caller)
  let matches: boolean
  try {
    matches = await throttle.guard(databaseId, attempt, failures, verify)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw databaseGone(error)
    if (error instanceof Problem && error.code === 'too_many_attempts') {
      audit(caller.log, 'login.throttled', about)
    }
    throw error
  }
  if (!user || !matches) {
    audit(caller.log, 'login.failed', about)
    throw new Problem('invalid_credentials')
  }
  await rehashPassword(context, database, user, body.password, caller)
  audit(caller.log, 'login.succeeded', about)
  return signedIn(context, database, user)
}

/**
 * The user of a token as the store has it now (specification section 4.3).
 *
 * @throws {Problem} `token_invalid` where the user is deleted or disabled or the token revoked
 */
export async function me(context: AppContext, database: Database, claims: TokenClaims): Promise<User> {
  const user = await statements.findUserById(context.store, database.id, claims.userId)
  if (!user || user.disabledAt || isRevoked(claims, user.tokensValidAfter)) throw new Problem('token_invalid')
  return {
    id: user.id,
    email: user.email,
    preferredName: user.preferredName,
    tenants: user.tenants,
    createdAt: user.createdAt.toISOString(),
  }
}

function signedIn(
  context: AppContext,
  database: Database,
  user: { id: string; tenants: string[]; tokensValidAfter: Date | null },
): SignedInUser {
  const token = issueToken(database, user, context.now())
  return { id: user.id, tenants: user.tenants, token }
}

/** The form under which an address is unique. The contract has refused what has none. */
export function requireCanonicalEmail(email: string) {
  const key = canonicalEmail(email)
  if (key === undefined) throw new Error('an address without a key passed the contract')
  return key
}
