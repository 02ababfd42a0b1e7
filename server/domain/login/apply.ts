import { v7 as uuidv7 } from 'uuid'
import { insertIdentity } from '../../store/queries/identities.js'
import { insertUser } from '../../store/queries/sign-up.js'
import { profileOf } from '../../store/queries/user-fields.js'
import type { Change, Fact, Outcome } from '../change.js'
import { type Connection, titleOf } from '../connections/connection.js'
import { signUpEvents } from '../events/events.js'
import type { Accepted } from '../hooks/sign-up-hook.js'
import { acceptanceEvents, joinByInvitation, joinEvents } from '../invitations/accept.js'
import { noticeMessages } from '../notices/notice.js'
import type { ProviderClaims } from '../providers/identify.js'
import { reclaim } from '../reclaim.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import type { Choice, Facts } from './choose.js'

// What a login changes, in the transaction that has locked its attempt and its user.

/** What has changed for a user. */
interface Changed extends Pick<Outcome<unknown>, 'facts' | 'mails'> {
  /** Of the user. */
  id: string
}

/**
 * Signs a person up whose address a mail or a provider has proven: verified, and without a password.
 *
 * @throws a unique violation (SQLSTATE 23505) if the address or the identity is taken meanwhile, or the address is reserved
 */
export async function signUp(
  change: Change,
  { proof, body, connection, invitation }: Facts,
  {
    address,
    count,
    accepted,
  }: Extract<Choice, { kind: 'signUp' }> & {
    count: CountRequest | undefined
    accepted: Accepted | undefined
  },
): Promise<Changed> {
  const { database, now } = change
  const claims = proof.kind === 'external' ? proof.claims : undefined
  const { newTenant, preferredName = claims?.preferredName ?? null, locale = claims?.locale ?? null } = body
  const id = uuidv7()
  const tenant = newTenant ? { id: uuidv7(), name: newTenant } : undefined
  const user = {
    ...address,
    databaseId: database.id,
    id,
    passwordHash: null,
    ...profileOf({ ...body, preferredName, locale }),
    ...accepted,
    createdAt: now,
    generation: now.getTime(),
  }
  await insertUser(change, { user, tenant, isVerified: true })
  const acceptance = invitation && { database, invitation, userId: id, now }
  if (acceptance) await joinByInvitation(change, acceptance)
  const linked =
    claims && connection && (await link(change, { user: { ...user, isVerified: true }, connection, claims }))
  // Last, because sign-ups from one network wait for this lock.
  await count?.(change)
  const proven: Fact[] = acceptance
    ? acceptanceEvents(acceptance)
    : [{ type: 'user.email_verified', userId: id }]
  return { id, facts: [...signUpEvents(id, tenant?.id), ...proven, ...(linked?.facts ?? [])] }
}

export async function logIn(
  change: Change,
  { proof, connection, invitation }: Facts,
  { user, isReclaimed, isLinked }: Extract<Choice, { kind: 'logIn' }>,
): Promise<Changed> {
  const { database, now } = change
  const { id, email = user.canonicalEmail } = user
  const reclaimed = isReclaimed ? await reclaim(change, id) : []
  const acceptance = invitation && { database, invitation, userId: id, now }
  if (acceptance) await joinByInvitation(change, acceptance)
  const linked =
    proof.kind === 'external' && connection && isLinked
      ? await link(change, { user: { id, email, isVerified: true }, connection, claims: proof.claims })
      : undefined
  const way =
    proof.kind === 'mail'
      ? ({ way: 'mail' } as const)
      : ({ way: 'external', connection: proof.attempt.connection } as const)
  const joined = acceptance ? joinEvents(acceptance) : []
  const facts: Fact[] = [{ type: 'login.succeeded', userId: id, ...way }, ...reclaimed, ...joined]
  return { id, facts: [...facts, ...(linked?.facts ?? [])], mails: linked?.mails ?? [] }
}

/** An identity to link to a locked user. */
interface NewLink {
  user: { id: string; email: string; isVerified: boolean }
  connection: Connection
  claims: ProviderClaims
}

/**
 * Links an identity that no user has to a locked user who has none of the connection, and notifies the user.
 *
 * @throws a unique violation (SQLSTATE 23505) if the identity is linked to another user meanwhile
 */
export async function link(
  change: Change,
  { user: { id: userId, email: recipient, isVerified }, connection, claims }: NewLink,
) {
  const { database, now } = change
  const { issuer, subject, email } = claims
  const { name } = connection
  const identity = { id: uuidv7(), connection: name, issuer, subject, email, linkedAt: now }
  await insertIdentity(change, { databaseId: database.id, userId, ...identity, isProven: isVerified })
  const facts: Fact[] = [{ type: 'user.identity_linked', userId, identityId: identity.id, connection: name }]
  const notified = { userId, recipient, isVerified, now, provider: titleOf(connection) }
  return { identity, facts, mails: noticeMessages(database, 'identity_linked', notified) }
}
