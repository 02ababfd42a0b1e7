import { CreateUserBody, canonicalEmail, type DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { insertUser } from '../../store/queries/users.js'
import type { AppContext } from '../context.js'
import { eventMessages, signUpEvents } from '../outbox/events.js'
import { passwordErrors } from '../passwords/policy.js'
import { recordHashParameters } from '../users/verify-password.js'
import { requireDatabase } from './databases.js'
import { OperatorError } from './operator-error.js'

/**
 * Creates a user, and a tenant if the fields name one, as a sign-up does.
 *
 * @param fields those of a sign-up
 * @throws {OperatorError} with every invalid field, or if the address is taken
 */
export async function createUser(
  context: Pick<AppContext, 'store' | 'hashing' | 'blocklist'>,
  path: DatabasePath,
  fields: unknown,
  now: Date,
) {
  const { store, hashing, blocklist } = context
  const database = await requireDatabase(store, path)
  const parsed = CreateUserBody.safeParse(fields)
  if (parsed.error) {
    const errors = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    throw new OperatorError(errors.join('; '))
  }
  const { email, password, preferredName, newTenant } = parsed.data
  const errors = await passwordErrors(database.passwordPolicy, password, email, blocklist)
  if (errors.length > 0)
    throw new OperatorError(`the password ${errors.map(({ detail }) => detail).join('; ')}`)
  const user = {
    databaseId: database.id,
    id: uuidv7(),
    email,
    canonicalEmail: canonicalEmail(email) ?? '',
    passwordHash: await hashing.hash(password),
    preferredName: preferredName ?? null,
    createdAt: now,
  }
  const tenant = newTenant ? { id: uuidv7(), name: newTenant } : undefined
  const messages = eventMessages(database, now, signUpEvents(user.id, tenant?.id))
  await recordHashParameters(context, database)
  try {
    await insertUser(store, user, tenant, undefined, messages)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new OperatorError(`a user with the address ${email} exists already`)
  }
  return { databaseId: database.id, id: user.id, email, tenants: tenant ? [tenant.id] : [] }
}
