import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation } from '../../store/errors.js'
import type { Message } from '../../store/generated/client.js'
import { type CodeUser, type FoundCode, findCode } from '../../store/queries/codes.js'
import type { Store } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import type { Event } from '../events/events.js'
import { databaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'

// A code is `id.mac`. Neither the store nor the outbox has anything that could be used as one.

export type CodePurpose = 'password_reset' | 'email_verification'

const lifetimeMilliseconds = { password_reset: 3_600_000, email_verification: 86_400_000 }

/** Returns when the code that a message sends expires. */
export const codeExpiresAt = ({ payload, createdAt }: Pick<Message, 'payload' | 'createdAt'>) =>
  new Date(createdAt.getTime() + lifetimeMilliseconds[(payload as { type: CodePurpose }).type])

/** Names a code. */
interface CodeKey {
  databaseId: string
  id: string
  purpose: CodePurpose
}

/** Returns a code, bound to the address to which it is sent. */
export async function issueCode(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  { databaseId, id, purpose, canonicalEmail }: CodeKey & { canonicalEmail: string },
) {
  return `${id}.${(await findSecrets(databaseId)).sign(purpose, id, canonicalEmail)}`
}

/** Returns a code of the database that can be used. @throws {Problem} `code_invalid` */
export async function requireCode(
  { findSecrets, store, now }: AppContext,
  { id: databaseId }: Database,
  { purpose, code }: { purpose: CodePurpose; code: string },
): Promise<FoundCode> {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? []
  const found = isUuid(id) && (await findCode(store, { databaseId, id, purpose }, new Date(now())))
  if (!found) throw new Problem('code_invalid')
  const secrets = await findSecrets(databaseId)
  if (!secrets.verify(mac, purpose, id, found.canonicalEmail)) throw new Problem('code_invalid')
  return found
}

/** Returns the events of a user whose code was used. */
export const verifiedEvents = ({ id: userId, isNewlyVerified }: CodeUser): Event[] =>
  isNewlyVerified ? [{ type: 'user.email_verified', userId }] : []

/** The code that a request asks for. */
interface RequestedCode {
  purpose: CodePurpose
  canonicalEmail: string
  /** Returns undefined to send nothing. */
  findUserId: (store: Pick<Store, 'query'>) => Promise<string | undefined>
}

/**
 * Counts a request for a code, and stores the message that sends it unless there were too many. The code itself is
 * created when the message is delivered, so a request does the same work whether or not the user exists.
 *
 * @returns the message, or undefined if there were too many
 */
export async function requestCode(
  { mails, now, deliver }: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { purpose, canonicalEmail, findUserId }: RequestedCode,
) {
  const { id: databaseId } = database
  const request = { purpose, canonicalEmail, clientAddress: caller.address }
  const at = new Date(now())
  const stored = await mails
    .store(database, request, async (queries) =>
      codeMessage({ databaseId, purpose, userId: await findUserId(queries) }, at),
    )
    .catch((error) => {
      throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
    })
  if (typeof stored === 'string') {
    audit(caller.log, 'mail.throttled', { databaseId, limit: stored })
    return undefined
  }
  deliver([stored])
  return stored
}

/** Returns the message that sends a code to a user, or that does nothing. */
export const codeMessage = (
  { databaseId, purpose, userId }: Omit<CodeKey, 'id'> & { userId: string | undefined },
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
