import { createHash } from 'node:crypto'
import type { CreateUserBody } from '@usher/contract'
import { findSignUp } from '../../store/queries/sign-up.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { idInCode } from '../invitations/code.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { type Authenticated, authenticate } from './authenticate.js'

/** How long a sign-up can be repeated with its key. */
export const replayMilliseconds = 24 * 3_600_000

/** Returns the SHA-256 of an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), which is stored. */
export const hashIdempotencyKey = (header: string) =>
  new Uint8Array(createHash('sha256').update(header).digest())

/**
 * Returns the user whom an earlier sign-up with the same key created, or undefined. Verifies the password as a login
 * does, under the same throttle.
 *
 * @throws {Problem} `idempotency_key_reused` if email, tenant, invitation or password differ from that sign-up's;
 * `too_many_attempts`
 */
export async function replaySignUp(
  context: AppContext,
  request: DatabaseRequest<CreateUserBody>,
  key: Uint8Array,
): Promise<Authenticated | undefined> {
  const { database, body, caller } = request
  const expired = new Date(context.now() - replayMilliseconds)
  const signUp = await findSignUp(context.store, { databaseId: database.id, key }, expired)
  if (!signUp) return undefined
  const canonicalEmail = requireCanonicalEmail(body.email)
  const isSame =
    signUp.canonicalEmail === canonicalEmail &&
    signUp.tenantName === (body.newTenant ?? null) &&
    signUp.invitationCodeId === (body.invitationCode ? idInCode(body.invitationCode) : null)
  const authenticated =
    isSame && (await authenticate(context, request, { canonicalEmail, password: body.password }))
  if (!authenticated || authenticated.user.id !== signUp.userId) throw new Problem('idempotency_key_reused')
  audit(caller.log, 'user.created_again', { databaseId: database.id, userId: signUp.userId })
  return authenticated
}
