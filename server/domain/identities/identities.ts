import type {
  Identity,
  IdentityList,
  IdentityPath,
  LinkIdentityBody,
  SignedInUser,
  UnlinkIdentityBody,
} from '@usher/contract'
import { isUniqueViolation } from '../../store/errors.js'
import {
  deleteIdentity,
  findIdentities,
  findIdentityUserId,
  type ListedIdentity,
  revokeAfterRemoval,
} from '../../store/queries/identities.js'
import { findAttempt, useAttempt } from '../../store/queries/login-attempts.js'
import type { Revoked } from '../../store/queries/revocations.js'
import { type Change, type Outcome, requireLocked, runChange } from '../change.js'
import { type Connection, titleOf } from '../connections/connection.js'
import { requireEnabled } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import { confirmUser } from '../factors/confirm.js'
import { link } from '../login/apply.js'
import { requireAttempt } from '../login/mail.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'
import type { UserRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { requireWayIn } from '../ways-in.js'

/** Returns an identity as its user sees it. */
export const shownIdentity = ({
  id,
  connection,
  email,
  linkedAt,
}: Pick<ListedIdentity, 'id' | 'connection' | 'email' | 'linkedAt'>): Identity => ({
  id,
  connection,
  email,
  linkedAt: linkedAt.toISOString(),
})

/** Returns the identities of the user of a token. */
export async function listIdentities(
  { store }: AppContext,
  { database, user }: UserRequest,
): Promise<IdentityList> {
  const identities = await findIdentities(store, { databaseId: database.id, userId: user.id })
  return { identities: identities.map(shownIdentity) }
}

/**
 * Links the identity of a login that has returned to the user of a token.
 *
 * @throws {Problem} `code_invalid`; `identity_taken`; `already_linked`; those of `confirmUser`
 */
export async function linkIdentity(
  context: AppContext,
  request: UserRequest<LinkIdentityBody>,
): Promise<Identity> {
  const { database, body } = request
  const attempt = await requireAttempt(context, database.id, body)
  if (attempt.kind !== 'external') throw new Problem('code_invalid')
  await confirmUser(context, request, body)
  const wanted = { attemptId: attempt.id, userId: request.user.id }
  const identity = await runChange(context, request, (change) => linkReturned(change, wanted)).catch(
    (error) => {
      throw isUniqueViolation(error) ? new Problem('identity_taken', { cause: error }) : error
    },
  )
  return shownIdentity(identity)
}

async function linkReturned(
  change: Change,
  { attemptId, userId }: { attemptId: string; userId: string },
): Promise<Outcome<ListedIdentity>> {
  const { database, now } = change
  const key = { databaseId: database.id, id: attemptId }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (attempt?.kind !== 'external' || attempt.usedAt) throw new Problem('code_invalid')
  const connection = await requireEnabled(change, attempt.connection)
  const { email, emailVerifiedAt, generation } = await requireLocked(change, userId)
  const claims = attempt.claims as ProviderClaims
  const { issuer, subject } = claims
  const holder = await findIdentityUserId(change, { ...key, connection: connection.name, issuer, subject })
  if (holder) throw new Problem(holder === userId ? 'already_linked' : 'identity_taken')
  const linked = await findIdentities(change, { databaseId: database.id, userId })
  if (linked.some((each) => each.connection === connection.name)) throw new Problem('already_linked')
  const user = { id: userId, email, isVerified: emailVerifiedAt !== null }
  const { identity, ...outcome } = await link(change, { user, connection, claims })
  await useAttempt(change, key, { userId, generation, now })
  return { result: identity, ...outcome }
}

/**
 * Removes an identity of the user of a token, who must keep a way to log in. Revokes all tokens and sessions.
 *
 * @throws {Problem} `identity_not_found`; `last_login_method`; those of `confirmUser`
 */
export async function unlinkIdentity(
  context: AppContext,
  request: UserRequest<UnlinkIdentityBody> & { params: IdentityPath },
): Promise<SignedInUser> {
  const { database, user, claims, body, params } = request
  await confirmUser(context, request, body)
  const connections = await context.findConnections(database.id)
  const wanted = { userId: user.id, identityId: params.identityId, connections }
  const at = context.now()
  const { generation } = await runChange(context, request, (change) => removeIdentity(change, wanted))
  return completeLogin(context, request, {
    user: { ...user, generation, disabledAt: null },
    authentication: Authentication.ofToken(user, claims.proven),
    readAt: at,
  })
}

/** An identity to remove from its user. */
interface Removal {
  userId: string
  identityId: string
  /** The enabled connections of the database. Identities of others log nobody in. */
  connections: readonly Connection[]
}

/**
 * Removes an identity, and revokes the tokens and sessions of its user, which whoever has the identity may have.
 *
 * @returns the new generation of the user
 * @throws {Problem} `user_not_found`; `token_invalid`; `identity_not_found`; `last_login_method`
 */
export async function removeIdentity(
  change: Change,
  { userId, identityId, connections }: Removal,
): Promise<Outcome<Revoked>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const { email: recipient, emailVerifiedAt, passwordHash } = await requireLocked(change, userId)
  const name = await deleteIdentity(change, { ...key, id: identityId })
  if (name === undefined) throw new Problem('identity_not_found')
  const isVerified = emailVerifiedAt !== null
  await requireWayIn(change, { userId, passwordHash, isVerified, connections })
  const removed = connections.find((each) => each.name === name)
  const provider = removed ? titleOf(removed) : name
  return {
    result: (await revokeAfterRemoval(change, key, now)) as Revoked,
    facts: [{ type: 'user.identity_unlinked', userId, identityId, connection: name }],
    mails: noticeMessages(database, 'identity_removed', { userId, recipient, isVerified, now, provider }),
  }
}
