import type { Code, User } from '../generated/client.js'
import type { Transactions } from './outbox.js'

/** A user to whom a mail is sent. */
export type Recipient = Pick<User, 'email' | 'canonicalEmail' | 'preferredName' | 'emailVerifiedAt'>

/** The code of a message, before it is stored. It is bound to the address that the user has then. */
export type NewCode = Omit<Code, 'canonicalEmail' | 'generation' | 'messageStoredAt'>

/**
 * Stores the code of a message in place of the user's older one of its purpose. Locks the user first, as using a code
 * does: a code whose message is gone was used or revoked, and must not come back.
 *
 * @param isWanted whether the user still gets this mail
 * @returns the user; undefined if there is nothing to send, also if a newer code exists
 */
export const storeCode = (store: Transactions, code: NewCode, isWanted: (user: Recipient) => boolean) =>
  store.transaction(code.databaseId, async (query) => {
    const { databaseId, id, purpose, userId, createdAt, expiresAt } = code
    const [user] = await query<Recipient & { generation: number }>(lockRecipientStatement, [
      databaseId,
      userId,
    ])
    if (!user || !isWanted(user)) return undefined
    // A statement of its own, because only a later one sees what the transactions have done that it waited for.
    const [message] = await query<{ storedAt: string }>(findStoredAtStatement, [databaseId, id])
    if (!message) return undefined
    const generation = purpose === 'password_reset' ? user.generation : null
    const values = [databaseId, id, purpose, userId, user.canonicalEmail, createdAt, expiresAt]
    const stored = await query(storeCodeStatement, [...values, message.storedAt, generation])
    return stored.length > 0 ? user : undefined
  })

const lockRecipientStatement = `
  SELECT email, email_key AS "canonicalEmail", preferred_name AS "preferredName",
    email_verified_at AS "emailVerifiedAt", generation
  FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid AND disabled_at IS NULL FOR SHARE`

// As text, because a Date has no microseconds.
const findStoredAtStatement = `
  SELECT stored_at::text AS "storedAt" FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid`

// The store's order of the messages decides, because an id contains the time of a server or of a command.
const storeCodeStatement = `
  INSERT INTO usher.code AS code
    (database_id, id, purpose, user_id, email_key, created_at, expires_at, message_stored_at, generation)
  VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::bigint)
  ON CONFLICT (database_id, user_id, purpose) DO UPDATE SET
    id = excluded.id, email_key = excluded.email_key, created_at = excluded.created_at,
    expires_at = excluded.expires_at, message_stored_at = excluded.message_stored_at,
    generation = excluded.generation
  WHERE COALESCE(code.message_stored_at <= excluded.message_stored_at, code.id <= excluded.id)
  RETURNING 1`
