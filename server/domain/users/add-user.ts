import { v7 as uuidv7 } from 'uuid'
import { insertMember } from '../../store/queries/member-changes.js'
import { insertAccount } from '../../store/queries/new-account.js'
import { findHolder } from '../../store/queries/reserved-addresses.js'
import { lockTenants } from '../../store/queries/tenants.js'
import { type UserFields, userFieldsOf } from '../../store/queries/user-fields.js'
import type { Store } from '../../store/store.js'
import type { Client } from '../caller.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { Change, Changes, Rule } from '../change.js'
import type { AppContext } from '../context.js'
import { type RuleDatabase, requireCodeMails } from '../databases/find-database.js'
import { mailMessage } from '../notices/mail-message.js'
import { emailTaken, externalIdTaken, tenantNotFound, validationFailed } from '../problem.js'
import { requireStoredRoles } from '../tenants/roles.js'
import { requireTenant } from '../tenants/tenants.js'
import { recordImportedParameters } from './imported-hashes.js'
import { hashOf, type PasswordOrHash, requirePassword } from './new-password.js'
import { readManagedUsers, type UserState } from './read-managed-users.js'

/** A user whom an operator or a backend adds. Without `password` and `passwordHash`, the user has no password. */
export interface AddedUser extends PasswordOrHash, Changes<UserFields> {
  email: string
  emailVerified?: boolean | undefined
  /** Existing tenants, in the order of joining. Without role, the user joins as a member. */
  tenants?: readonly { id: string; role?: string | undefined }[] | undefined
  /** Whether to send a code to choose a password. */
  sendMail?: boolean | undefined
}

type AddingContext = Pick<AppContext, 'hashing' | 'blocklist' | 'throttle' | 'now'> & {
  store: Store
  /** Waits for the hash. */
  client?: Client
}

/**
 * Hashes the password of a user, and returns the rule that adds the user: the user, all tenants and the mail, or nothing.
 *
 * @throws {Problem} `email_taken`; `external_id_taken`; `tenant_not_found`; `validation_failed`, for the password or a role;
 * `account_operations_off` or `app_url_missing` if the mail could not be sent
 */
export async function addUser(
  context: AddingContext,
  database: RuleDatabase,
  user: AddedUser,
): Promise<Rule<UserState>> {
  const { store } = context
  const tenants = new Map(user.tenants?.map(({ id, role = 'member' }) => [id, role]))
  const given = user.tenants?.map(({ role }, index) => [`tenants.${index}.role`, role] as const) ?? []
  // Checked again when the user is stored. Here it avoids hashing a password in vain.
  await requireStoredRoles(store, database.id, given)
  const dummyHash = await requirePassword(context, database, user)
  if (user.sendMail) requireCodeMails(database)
  for (const id of tenants.keys()) await requireTenant(store, database, id)
  const passwordHash = await hashOf(context, user, context.client)
  if (dummyHash && !database.dummyHashes.includes(dummyHash)) {
    const refused = await recordImportedParameters(context, database.id, [dummyHash])
    for (const { errors } of refused.values()) throw validationFailed(errors)
  }
  return async (change) => {
    await requireStoredRoles(change, database.id, given)
    const userId = await insert(change, user, passwordHash)
    await join(change, userId, tenants)
    const [read] = await readManagedUsers({ ...context, store: change }, database.id, [{ id: userId }])
    const mail = mailMessage({ databaseId: database.id, type: 'password_reset', userId }, change.now)
    return {
      result: read?.user as UserState,
      facts: [
        { type: 'user.created', userId },
        ...[...tenants.keys()].map((tenantId) => ({ type: 'tenant.user_added', tenantId, userId }) as const),
      ],
      mails: user.sendMail ? [mail] : [],
    }
  }
}

async function insert(change: Change, user: AddedUser, passwordHash: string | null) {
  const { database, now } = change
  const { email, emailVerified, externalId } = user
  const row = {
    databaseId: database.id,
    id: uuidv7(),
    email,
    canonicalEmail: requireCanonicalEmail(email),
    passwordHash,
    emailVerifiedAt: emailVerified ? now : null,
    ...userFieldsOf(user),
    createdAt: now,
  }
  if (await insertAccount(change, row)) return row.id
  const holder = await findHolder(change, database.id, row.canonicalEmail)
  throw externalId && !holder
    ? externalIdTaken('user', externalId)
    : emailTaken(email, database, holder?.isReserved)
}

/** Adds a user to tenants, by their ids with the role in each. */
async function join(change: Change, userId: string, tenants: ReadonlyMap<string, string>) {
  const { database, now } = change
  const databaseId = database.id
  const mode = [...tenants.values()].includes('owner') ? 'UPDATE' : 'KEY SHARE'
  const locked = await lockTenants(change, { databaseId, ids: [...tenants.keys()] }, mode)
  for (const [index, [tenantId, role]] of [...tenants].entries()) {
    if (!locked.has(tenantId)) throw tenantNotFound(database, tenantId)
    // One millisecond apart, so that tenants keep their order.
    const joinedAt = new Date(now.getTime() + index)
    await insertMember(change, { databaseId, userId, tenantId, joinedAt, role })
  }
}
