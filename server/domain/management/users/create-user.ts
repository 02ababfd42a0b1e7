import { CreateUserBody, type DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import type { User } from '../../../store/generated/client.js'
import { insertMembership } from '../../../store/queries/management/tenants.js'
import { inTransaction } from '../../../store/queries/management/typed-queries.js'
import { type Account, insertUser } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { AppContext } from '../../context.js'
import { type Database, nameOfDatabase } from '../../databases/find-database.js'
import { eventMessages } from '../../events/events.js'
import { passwordErrors } from '../../passwords/policy.js'
import { requireCanonicalEmail } from '../../users/canonical-email.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { requireDatabase } from '../databases.js'
import type { Operation } from '../operation.js'
import { OperatorError } from '../operator-error.js'
import { requireTenant } from '../tenants.js'

/** A user to create. Without `password`, the user cannot log in with any password. */
interface NewUser extends Pick<User, 'email' | 'preferredName'> {
  password: string | undefined
  /** An existing tenant. */
  tenantId: string | undefined
}

/**
 * Creates a user.
 *
 * @throws {OperatorError} if the email is taken, the tenant does not exist or the policy rejects the password
 */
export async function createUser(
  context: Pick<AppContext, 'hashing' | 'blocklist'> & Operation,
  path: DatabasePath,
  { email, preferredName, password, tenantId }: NewUser,
): Promise<Account> {
  const { store, hashing, now } = context
  const database = await requireDatabase(store, path)
  const databaseId = database.id
  if (tenantId) await requireTenant(store, path, { databaseId, id: tenantId })
  const passwordHash =
    password === undefined ? hashing.dummyHash : await hashNewPassword(context, database, { password, email })
  await recordHashParameters(context, database)
  const userId = uuidv7()
  const canonicalEmail = requireCanonicalEmail(email)
  const generation = BigInt(now.getTime())
  const user = { databaseId, id: userId, email, canonicalEmail, passwordHash, preferredName }
  const data = { ...user, generation, createdAt: now }
  const messages = eventMessages(database, now, [
    { type: 'user.created', userId },
    ...(tenantId ? [{ type: 'tenant.user_added', tenantId, userId } as const] : []),
  ])
  return inTransaction(store, async (transaction) => {
    const created = await insertUser(transaction, data)
    if (!created) {
      throw new OperatorError('email_taken', `user ${email} already exists in ${nameOfDatabase(path)}`)
    }
    if (tenantId) await insertMembership(transaction, { databaseId, userId, tenantId, joinedAt: now })
    await insertMessages(transaction, messages)
    return created
  })
}

/** Returns the hash of a new password. @throws {OperatorError} with the policy rules that the password violates */
export async function hashNewPassword(
  { hashing, blocklist }: Pick<AppContext, 'hashing' | 'blocklist'>,
  database: Pick<Database, 'passwordPolicy'>,
  { password, email }: { password: string; email: string },
) {
  const policyErrors = await passwordErrors(blocklist, database, { password, email, field: 'password' })
  const errors = policyErrors.map(({ detail }) => detail)
  const text = CreateUserBody.shape.password.safeParse(password)
  if (errors.length === 0 && text.error) errors.push(...text.error.issues.map(({ message }) => message))
  if (errors.length > 0) throw new OperatorError('password_rejected', `the password ${errors.join('; ')}`)
  return hashing.hash(password)
}
