import { createHash } from 'node:crypto'
import { type CreateUserBody, canonicalEmail } from '@usher/contract'
import { findSignUp, type UserWithTenants } from '../../store/queries/users.js'
import { audit, type Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { verifyPassword } from './verify-password.js'

/** How long a sign-up can be sent again under its key. */
const keptMilliseconds = 24 * 3_600_000

/** How an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header) is kept: its SHA-256. */
export const idempotencyKeyOf = (header: string) =>
  new Uint8Array(createHash('sha256').update(header).digest())

/**
 * The user whom a sign-up of the same key made before; nothing where there was none.
 *
 * @throws {Problem} `idempotency_key_reused` where email, tenant or password are not those of then
 */
export async function replaySignUp(
  context: AppContext,
  database: Database,
  body: CreateUserBody,
  caller: Caller,
  key: Uint8Array,
): Promise<UserWithTenants | undefined> {
  const expired = new Date(context.now() - keptMilliseconds)
  const signUp = await findSignUp(context.store, database.id, key, expired)
  if (!signUp) return undefined
  const isSame =
    signUp.canonicalEmail === canonicalEmail(body.email) && signUp.tenantName === (body.newTenant ?? null)
  if (!isSame || !(await verifyPassword(context, database, signUp, body.password, caller))) {
    throw new Problem('idempotency_key_reused')
  }
  audit(caller.log, 'user.created_again', { databaseId: database.id, userId: signUp.id })
  return signUp
}
