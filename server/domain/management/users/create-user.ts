import { v7 as uuidv7 } from 'uuid'
import type { User } from '../../../store/generated/client.js'
import { lockTenants } from '../../../store/queries/management/tenants.js'
import { inTransaction, type TypedQueries } from '../../../store/queries/management/typed-queries.js'
import { type Account, insertUser } from '../../../store/queries/management/users.js'
import { insertMember } from '../../../store/queries/member-changes.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { ProductFields } from '../../../store/queries/product-fields.js'
import { findHolder } from '../../../store/queries/reserved-addresses.js'
import type { JsonObject } from '../../../store/store.js'
import { requireCanonicalEmail } from '../../canonical-email.js'
import type { Changes } from '../../change.js'
import type { AppContext } from '../../context.js'
import { mailMessage } from '../../notices/mail-message.js'
import { externalIdTaken, tenantNotFound, validationFailed } from '../../problem.js'
import { requireStoredRoles } from '../../tenants/roles.js'
import { requireTenant } from '../../tenants/tenants.js'
import { type DatabaseRef, type FoundDatabase, findDatabase } from '../found-database.js'
import { messagesOf, type Operation } from '../operation.js'
import { emailTaken } from './find-account.js'
import { recordImportedParameters } from './imported-hashes.js'
import { hashOf, type PasswordOrHash, requirePassword } from './new-password.js'
import { requireCodeMails } from './send-reset.js'

/** A user to create. Without `password` and `passwordHash`, no password matches. */
export interface NewUser
  extends Pick<User, 'email' | 'preferredName'>,
    PasswordOrHash,
    Changes<ProductFields> {
  isVerified?: boolean | undefined
  /** Existing tenants, in the order of joining. Without role, the user joins as a member. */
  tenants?: readonly { id: string; role?: string | undefined }[] | undefined
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
 * @throws {Problem} if the email is taken, a tenant does not exist, the password is rejected, or the mail could not
 * be sent
 */
export async function createUser(context: Creation, ref: DatabaseRef, user: NewUser): Promise<Account> {
  const { store, now, onCreated } = context
  const database = await findDatabase(store, ref)
  const databaseId = database.id
  const roles = new Map(user.tenants?.map(({ id, role = 'member' }) => [id, role]))
  const tenantIds = [...roles.keys()]
  const given = user.tenants?.map(({ role }, index) => [`tenants.${index}.role`, role] as const) ?? []
  // Checked again when the user is stored. Here it avoids hashing a password in vain.
  await requireStoredRoles(store, databaseId, given)
  const dummyHash = await requirePassword(context, database, user)
  if (user.sendMail) requireCodeMails(database)
  for (const id of tenantIds) await requireTenant(store, database, id)
  const data = rowOf(databaseId, user, { passwordHash: await hashOf(context, user), now })
  if (!database.dummyHashes.includes(dummyHash)) {
    const refused = await recordImportedParameters(context, databaseId, [dummyHash])
    for (const { errors } of refused.values()) throw validationFailed(errors)
  }
  const messages = messagesOfCreation(context, database, { ...user, userId: data.id, tenantIds })
  return inTransaction(store, async (transaction) => {
    await requireStoredRoles(transaction, databaseId, given)
    const created = await insertUser(transaction, data)
    if (!created) {
      const { externalId } = user
      const { canonicalEmail } = data
      const holder = await findHolder(transaction, databaseId, canonicalEmail)
      if (externalId && !holder) throw externalIdTaken('user', externalId)
      throw emailTaken(user.email, database, holder?.isReserved)
    }
    const mode = [...roles.values()].includes('owner') ? 'UPDATE' : 'KEY SHARE'
    const locked = await lockTenants(transaction, { databaseId, ids: tenantIds }, mode)
    for (const [index, [tenantId, role]] of [...roles].entries()) {
      if (!locked.has(tenantId)) throw tenantNotFound(database, tenantId)
      // One millisecond apart, so that tenants keep their order.
      const joinedAt = new Date(now.getTime() + index)
      await insertMember(transaction, { databaseId, userId: data.id, tenantId, joinedAt, role })
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
  database: FoundDatabase,
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
    ? [mailMessage({ databaseId: database.id, type: 'password_reset', userId }, operation.now)]
    : []),
]
