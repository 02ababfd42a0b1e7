import { v7 as uuidv7 } from 'uuid'
import { insertUser } from '../../store/queries/sign-up.js'
import { profileOf } from '../../store/queries/user-fields.js'
import type { Queries } from '../../store/store.js'
import type { Change, Fact } from '../change.js'
import { signUpEvents } from '../events/events.js'
import { type Acceptance, acceptanceEvents, acceptWithSignUp } from '../invitations/accept.js'
import { Problem } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import type { NewUserFields } from './new-user-fields.js'

/** A person without an account whose address is proven. */
interface PasswordlessSignUp {
  address: { email: string; canonicalEmail: string }
  /** What a provider says about the person, for what the request does not give. */
  claims?: Pick<ProviderClaims, 'preferredName' | 'locale'> | undefined
  acceptance: Acceptance | undefined
  /** Counts the sign-up. Throws if a limit is reached. */
  count: CountRequest | undefined
}

/**
 * Signs a person up whose address a mail or a provider has proven: verified, and without a password.
 *
 * @throws {Problem} `account_missing`; `sign_up_closed`; `code_invalid`; `seats_full`
 * @throws a unique violation (SQLSTATE 23505) if the address is taken meanwhile, or reserved
 */
export async function signUpWithoutPassword(
  change: Change,
  { newTenant, mayCreate, ...given }: NewUserFields,
  { address, claims, acceptance, count }: PasswordlessSignUp,
): Promise<{ userId: string; facts: readonly Fact[] }> {
  const { database, now } = change
  const { email, canonicalEmail } = address
  const { preferredName = claims?.preferredName ?? null, locale = claims?.locale ?? null } = given
  if (mayCreate === false) throw new Problem('account_missing', { profile: { email, preferredName } })
  if (!database.signUp && !acceptance) throw new Problem('sign_up_closed')
  const userId = acceptance?.userId ?? uuidv7()
  const tenant = newTenant ? { id: uuidv7(), name: newTenant } : undefined
  const user = {
    databaseId: database.id,
    id: userId,
    email,
    canonicalEmail,
    passwordHash: null,
    ...profileOf({ ...given, preferredName, locale }),
    createdAt: now,
    generation: now.getTime(),
  }
  const insert = (transaction: Queries) => insertUser(transaction, { user, tenant, isVerified: true })
  await (acceptance ? acceptWithSignUp(change, acceptance, insert) : insert(change))
  // Last, because sign-ups from one network wait for this lock.
  await count?.(change)
  const proven: Fact[] = acceptance ? acceptanceEvents(acceptance) : [{ type: 'user.email_verified', userId }]
  return { userId, facts: [...signUpEvents(userId, tenant?.id), ...proven] }
}
