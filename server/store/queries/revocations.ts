import type { User } from '../generated/client.js'
import { changeWithMessages, type MessagesOf, type NewMessage, type Transactions } from './outbox.js'

// What decides whether tokens and sessions are revoked is the user's generation: a number that each revocation raises in
// its own statement. A login reads it, its token and session carry it, and whoever admits one demands the same number. A
// time cannot decide this: it is taken before the commit, and clocks differ.
//
// Servers of the version before compare `tokens_valid_after`, and only they may have changed it without the generation.
// So it is still written and compared.

/** A user as a request has read it. */
export interface ReadUser extends Pick<User, 'id' | 'tokensValidAfter'> {
  generation: number
}

/** What a revocation leaves, for the next token. */
export type Revoked = Pick<ReadUser, 'generation' | 'tokensValidAfter'>

/** Returns the instant some seconds after another, by functions that Citus regards as immutable. */
export const after = (instant: string, seconds: string) =>
  `(${instant} AT TIME ZONE 'UTC' + ${seconds}::int * interval '1 second') AT TIME ZONE 'UTC'`

/** Returns the condition that session `s` of user `u` has not ended. */
export const isOpen = (now: string) => `s.ended_at IS NULL AND s.expires_at > ${now}::timestamptz
  AND (s.generation IS NULL OR s.generation = u.generation)
  AND (u.tokens_valid_after IS NULL OR s.authenticated_at >= u.tokens_valid_after)`

/** Returns the condition that user `u` is enabled and as a request has read it. */
export const isAsRead = (generation: string, tokensValidAfter: string) => `u.disabled_at IS NULL
    AND u.generation = ${generation}::bigint
    AND u.tokens_valid_after IS NOT DISTINCT FROM ${tokensValidAfter}::timestamptz`

/**
 * Returns assignments that revoke the tokens and sessions of user `u`. The milliseconds make the generation of a user who
 * is restored from a backup differ from those that were lost.
 *
 * @param milliseconds of `now`
 */
export const revoking = (now: string, milliseconds: string) => `
    generation = GREATEST(u.generation + 1, ${milliseconds}::bigint),
    tokens_valid_after = GREATEST(store.time, LEAST(${now}::timestamptz, ${after('store.time', '30')}))`

/**
 * Returns parts of a statement that delete the codes that reset the password of a user, and their mails that wait. A code
 * that is stored meanwhile, which the statement does not see, has the generation before.
 */
export const withoutResetCodes = (changed: string) => `code AS (
    DELETE FROM usher.code USING ${changed}
    WHERE code.database_id = $1::uuid AND code.user_id = ${changed}.id AND code.purpose = 'password_reset'
  ), message AS (
    DELETE FROM usher.outbox AS message USING ${changed}
    WHERE message.database_id = $1::uuid AND message.user_id = ${changed}.id
      AND message.kind = 'mail' AND message.payload->>'type' = 'password_reset'
  )`

/** Returns a statement that changes user `u`, and deletes the codes that reset the user's password. */
const change = (assignments: string, condition: string) => `
  WITH changed AS (
    UPDATE usher."user" AS u SET ${assignments}
    FROM (SELECT now() AS time) AS store
    WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${condition}
    RETURNING u.id, u.generation, u.tokens_valid_after AS "tokensValidAfter"
  ), ${withoutResetCodes('changed')}
  SELECT generation, "tokensValidAfter" FROM changed`

const revoke = (condition: string) =>
  change(`${revoking('$3', '$4')}, password_hash = COALESCE($5, u.password_hash)`, condition)

const revokeStatement = revoke('true')
const revokeIfAsReadStatement = revoke(isAsRead('$6', '$7'))

/** A revocation. */
export interface Revocation {
  now: Date
  /** Replaces the password hash. */
  passwordHash?: string
  /** Written with the change. */
  messages?: readonly NewMessage[]
}

/** Rejects the tokens and sessions that a user has now. Returns undefined if there is no such user. */
export async function revokeUserTokens(
  store: Transactions,
  { databaseId, id }: Pick<User, 'databaseId' | 'id'>,
  { now, passwordHash, messages = [] }: Revocation,
) {
  const values = [databaseId, id, now, now.getTime(), passwordHash ?? null]
  const [user] = await changeWithMessages<Revoked>(store, { text: revokeStatement, values }, messages)
  return user
}

/** Does what {@link revokeUserTokens} does, unless the user has changed since the request read it. Then returns undefined. */
export async function revokeIfAsRead(
  store: Transactions,
  { databaseId, id, generation, tokensValidAfter }: ReadUser & Pick<User, 'databaseId'>,
  { now, passwordHash, messages = [] }: Revocation,
) {
  const values = [databaseId, id, now, now.getTime(), passwordHash ?? null, generation, tokensValidAfter]
  const [user] = await changeWithMessages<Revoked>(store, { text: revokeIfAsReadStatement, values }, messages)
  return user
}

/** Disables a user and rejects the user's tokens and sessions. Returns undefined if nothing changes. */
export async function disableUser(
  store: Transactions,
  { databaseId, id }: Pick<User, 'databaseId' | 'id'>,
  { now, messages }: { now: Date; messages: MessagesOf<Revoked> },
) {
  const values = [databaseId, id, now, now.getTime()]
  const [user] = await changeWithMessages(store, { text: disableStatement, values }, messages)
  return user
}

const disableStatement = change(
  `${revoking('$3', '$4')}, disabled_at = $3::timestamptz`,
  'u.disabled_at IS NULL',
)

/** Enables a user. What disabling has rejected stays rejected. Returns undefined if nothing changes. */
export async function enableUser(
  store: Transactions,
  { databaseId, id }: Pick<User, 'databaseId' | 'id'>,
  messages: MessagesOf<Revoked>,
) {
  const [user] = await changeWithMessages(
    store,
    { text: enableStatement, values: [databaseId, id] },
    messages,
  )
  return user
}

// The version before has disabled users without a revocation.
const enableStatement = change(
  `disabled_at = NULL, tokens_valid_after = GREATEST(u.tokens_valid_after, LEAST(u.disabled_at, store.time))`,
  'u.disabled_at IS NOT NULL',
)
