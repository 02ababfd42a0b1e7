import type { UserIdentityList } from '@usher/contract/management'
import { findIdentities } from '../../../store/queries/identities.js'
import { requireScope } from '../../api-keys/admit-api-key.js'
import { runChange } from '../../change.js'
import type { AppContext } from '../../context.js'
import { removeIdentity, shownIdentity } from '../../identities/identities.js'
import type { KeyRequest } from '../../request.js'
import { findAccount } from './find-account.js'

type OfUser<Params = unknown> = KeyRequest & { params: { userId: string } & Params }

/** Returns the identities of a user. @throws {Problem} `user_not_found` */
export async function listUserIdentities(
  { store }: AppContext,
  { database, params }: OfUser,
): Promise<UserIdentityList> {
  const { id: userId } = await findAccount(store, database, params.userId)
  const identities = await findIdentities(store, { databaseId: database.id, userId })
  return {
    identities: identities.map(({ issuer, subject, ...each }) => ({
      ...shownIdentity(each),
      issuer,
      subject,
    })),
  }
}

/**
 * Removes an identity of a user, who must keep a way to log in.
 *
 * @throws {Problem} `insufficient_scope`; `user_not_found`; `identity_not_found`; `last_login_method`
 */
export async function removeUserIdentity(
  context: AppContext,
  request: OfUser<{ identityId: string }>,
): Promise<void> {
  requireScope(request.apiKey, 'credentials:write')
  const connections = await context.findConnections(request.database.id)
  await runChange(context, request, (change) => removeIdentity(change, { ...request.params, connections }))
}
