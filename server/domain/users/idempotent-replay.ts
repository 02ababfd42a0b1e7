import { createHash } from 'node:crypto'
import type { CreateUserBody, SignedInUser } from '@usher/contract'
import { findSignUp } from '../../store/queries/sign-up.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { idInCode } from '../invitations/code.js'
import { authenticate } from '../passwords/authenticate.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'

/** How long a sign-up can be repeated with its key. */
export const replayMilliseconds = 24 * 3_600_000

/** Returns the SHA-256 of an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), which is stored. */
export const hashIdempotencyKey = (header: string) =>
  new Uint8Array(createHash('sha256').update(header).digest())

/**
 * Logs in the user whom an earlier sign-up with the same key created. Returns undefined if there is none. Verifies the
 * password as a login does, under the same throttle.
 *
 * @throws {Problem} `idempotency_key_reused` if email, tenant, invitation or password differ from that sign-up's;
 * `too_many_attempts`
 */
export async function replaySignUp(
  context: AppContext,
  request: DatabaseRequest<CreateUserBody>,
  key: Uint8Array,
): Promise<SignedInUser | undefined> {
  const { database, body } = request
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
  const { user, readAt: at } = authenticated
  return completeLogin(context, request, {
    ...authenticated,
    authentication: Authentication.afterFirstStep(database, user, { way: 'pwd', at }),
    event: 'user.created_again',
  })
}
