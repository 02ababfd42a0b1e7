import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import type { User } from '../../../store/generated/client.js'
import { insertMembership, lockTenants } from '../../../store/queries/management/tenants.js'
import { inTransaction, type TypedQueries } from '../../../store/queries/management/typed-queries.js'
import { type Account, findAccountRow, insertUser } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { ProductFields } from '../../../store/queries/users.js'
import type { JsonObject } from '../../../store/store.js'
import { codeMessage } from '../../codes/request-code.js'
import type { AppContext } from '../../context.js'
import { type DatabaseRow, nameOfDatabase } from '../../databases/find-database.js'
import { requireCanonicalEmail } from '../../users/canonical-email.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { requireDatabase } from '../databases.js'
import { messagesOf, type Operation } from '../operation.js'
import { externalIdTaken, OperatorError } from '../operator-error.js'
import { requireTenant, tenantNotFound } from '../tenants.js'
import { hashOf, type NewPassword, requirePassword } from './new-password.js'
import { requireCodeMails } from './send-reset.js'

/** What the product adds, as far as it is given. */
type GivenFields = { [Name in keyof ProductFields]?: ProductFields[Name] | undefined }

/** A user to create. With neither `password` nor `passwordHash`, the user cannot log in with any password. */
export interface NewUser extends Pick<User, 'email' | 'preferredName'>, NewPassword, GivenFields {
  isVerified?: boolean | undefined
  /** Existing tenants, in the order of joining. */
  tenantIds?: readonly string[] | undefined
  /** Whether to send a code to choose a password. */
  sendMail?: boolean | undefined
}

interface Creation extends Operation, Pick<AppContext, 'hashing' | 'blocklist'> {
  /** Called with the new user before the transaction ends. */
  onCreated?: (transaction: TypedQueries, user: Account) => Promise<unknown>
}

/**
 * Creates a user.
 *
 * @throws {OperatorError} if the email is taken, a tenant does not exist, the password is rejected, or the mail could not
 * be sent
 */
export async function createUser(context: Creation, path: DatabasePath, user: NewUser): Promise<Account> {
  const { store, now, onCreated } = context
  const database = await requireDatabase(store, path)
  const databaseId = database.id
  const tenantIds = [...new Set(user.tenantIds)]
  const dummyHash = await requirePassword(context, database, user)
  if (user.sendMail) requireCodeMails(database, path)
  for (const id of tenantIds) await requireTenant(store, path, { databaseId, id })
  const data = rowOf(databaseId, user, { passwordHash: await hashOf(context, user), now })
  await recordHashParameters(context, database, dummyHash)
  const messages = messagesOfCreation(context, database, { ...user, userId: data.id, tenantIds })
  return inTransaction(store, async (transaction) => {
    const created = await insertUser(transaction, data)
    if (!created) {
      const { externalId } = user
      const { canonicalEmail } = data
      if (externalId && !(await findAccountRow(transaction, { databaseId, canonicalEmail })))
        throw externalIdTaken('user', externalId)
      throw new OperatorError('email_taken', `user ${user.email} already exists in ${nameOfDatabase(path)}`)
    }
    const locked = await lockTenants(transaction, databaseId, tenantIds)
    for (const [index, tenantId] of tenantIds.entries()) {
      if (!locked.has(tenantId)) throw tenantNotFound(path, tenantId)
      // One millisecond apart, so that tenants keep their order.
      const joinedAt = new Date(now.getTime() + index)
      await insertMembership(transaction, { databaseId, userId: data.id, tenantId, joinedAt })
    }
    await insertMessages(transaction, messages)
    await onCreated?.(transaction, created)
    return created
  })
}

const rowOf = (
  databaseId: string,
  { email, preferredName, isVerified, externalId, metadata, privateMetadata }: NewUser,
  { passwordHash, now }: { passwordHash: string; now: Date },
) => ({
  databaseId,
  id: uuidv7(),
  email,
  canonicalEmail: requireCanonicalEmail(email),
  passwordHash,
  preferredName,
  emailVerifiedAt: isVerified ? now : null,
  ...(externalId && { externalId }),
  ...(metadata && { metadata: metadata as JsonObject }),
  ...(privateMetadata && { privateMetadata: privateMetadata as JsonObject }),
  generation: BigInt(now.getTime()),
  createdAt: now,
})

/** Returns the events of a new user, and the mail with a code to choose a password. */
const messagesOfCreation = (
  operation: Operation,
  database: DatabaseRow,
  {
    userId,
    tenantIds,
    sendMail,
  }: { userId: string; tenantIds: readonly string[]; sendMail?: boolean | undefined },
) => [
  ...messagesOf(operation, database, [
    { type: 'user.created', userId },
    ...tenantIds.map((tenantId) => ({ type: 'tenant.user_added', tenantId, userId }) as const),
  ]),
  ...(sendMail
    ? [codeMessage({ databaseId: database.id, purpose: 'password_reset', userId }, operation.now)]
    : []),
]
