import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation } from '../../store/errors.js'
import type { Message } from '../../store/generated/client.js'
import { type CodeUser, type FoundCode, findCode } from '../../store/queries/codes.js'
import type { Store } from '../../store/store.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import type { Event } from '../events/events.js'
import { databaseDeleted, Problem } from '../problem.js'

// A code is `id.mac`. Neither the store nor the outbox has anything that could be used as one.

export type CodePurpose = 'password_reset' | 'email_verification'

const lifetimeMilliseconds = { password_reset: 3_600_000, email_verification: 86_400_000 }

/** Returns when the code that a message sends expires. */
export const codeExpiresAt = ({ payload, createdAt }: Pick<Message, 'payload' | 'createdAt'>) =>
  new Date(createdAt.getTime() + lifetimeMilliseconds[(payload as { type: CodePurpose }).type])

/** Returns a code, bound to the address to which it is sent. */
export async function issueCode(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  databaseId: string,
  purpose: CodePurpose,
  id: string,
  canonicalEmail: string,
) {
  return `${id}.${(await findSecrets(databaseId)).sign(purpose, id, canonicalEmail)}`
}

/** Returns a code of the database that can be used. @throws {Problem} `code_invalid` */
export async function requireCode(
  { findSecrets, store, now }: AppContext,
  database: Database,
  purpose: CodePurpose,
  code: string,
): Promise<FoundCode> {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? []
  const found = isUuid(id) && (await findCode(store, database.id, id, purpose, new Date(now())))
  if (!found) throw new Problem('code_invalid')
  const secrets = await findSecrets(database.id)
  if (!secrets.verify(mac, purpose, id, found.canonicalEmail)) throw new Problem('code_invalid')
  return found
}

/** Returns the events of a user whose code was used. */
export const verifiedEvents = ({ id: userId, isNewlyVerified }: CodeUser): Event[] =>
  isNewlyVerified ? [{ type: 'user.email_verified', userId }] : []

/**
 * Counts a request for a code, and stores the message that sends it unless there were too many. The code itself is
 * created when the message is delivered, so a request does the same work whether or not the user exists.
 *
 * @param findUserId returns undefined to send nothing
 * @returns the message, or undefined if there were too many
 */
export async function requestCode(
  { mails, now, deliver }: AppContext,
  database: Database,
  purpose: CodePurpose,
  canonicalEmail: string,
  { address, log }: { address: string; log: Log },
  findUserId: (store: Pick<Store, 'query'>) => Promise<string | undefined>,
) {
  const { id: databaseId } = database
  const request = { purpose, canonicalEmail, clientAddress: address }
  const at = new Date(now())
  const stored = await mails
    .store(database, request, async (queries) =>
      codeMessage(databaseId, purpose, await findUserId(queries), at),
    )
    .catch((error) => {
      throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
    })
  if (typeof stored === 'string') {
    audit(log, 'mail.throttled', { databaseId, limit: stored })
    return undefined
  }
  deliver([stored])
  return stored
}

/** Returns the message that sends a code to a user, or that does nothing. */
export const codeMessage = (
  databaseId: string,
  purpose: CodePurpose,
  userId: string | undefined,
  createdAt: Date,
) => ({
  databaseId,
  id: uuidv7(),
  kind: 'mail',
  userId: userId ?? null,
  payload: { type: purpose },
  createdAt,
  dueAt: createdAt,
})
