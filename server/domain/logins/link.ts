import { v7 as uuidv7 } from 'uuid'
import { findIdentities, insertIdentity } from '../../store/queries/identities.js'
import type { Change, Fact } from '../change.js'
import { type Connection, titleOf } from '../connections/connection.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'

/** A locked user to whom an identity is linked. */
interface NewLink {
  user: {
    id: string
    email: string
    isVerified: boolean
  }
  connection: Connection
  claims: ProviderClaims
}

/**
 * Links an identity to a locked user, and notifies the user. Does nothing if the user has it.
 *
 * @throws {Problem} `already_linked` if the user has another identity of the connection
 * @throws a unique violation (SQLSTATE 23505) if the identity is linked to another user meanwhile
 */
export async function link(
  change: Change,
  { user, connection: { name: connection, ...provider }, claims }: NewLink,
) {
  const { database, now } = change
  const { issuer, subject, email } = claims
  const key = { databaseId: database.id, userId: user.id }
  const linked = (await findIdentities(change, key)).find((each) => each.connection === connection)
  // Another login of the person has linked it meanwhile.
  if (linked?.issuer === issuer && linked.subject === subject)
    return { identity: linked, facts: [], mails: [] }
  if (linked) throw new Problem('already_linked')
  const identity = { id: uuidv7(), connection, issuer, subject, email, linkedAt: now }
  await insertIdentity(change, { ...key, ...identity, isProven: user.isVerified })
  const facts: Fact[] = [
    { type: 'user.identity_linked', userId: user.id, identityId: identity.id, connection },
  ]
  const { isVerified, email: recipient } = user
  const notified = { userId: user.id, recipient, isVerified, now, provider: titleOf(provider) }
  return { identity, facts, mails: noticeMessages(database, 'identity_linked', notified) }
}
