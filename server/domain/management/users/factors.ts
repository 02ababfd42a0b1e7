import type { UserFactorList } from '@usher/contract/management'
import { countRecoveryCodes, findFactors } from '../../../store/queries/factors.js'
import type { Store } from '../../../store/store.js'
import { requireScope } from '../../api-keys/admit-api-key.js'
import { runChange } from '../../change.js'
import type { AppContext } from '../../context.js'
import type { RuleDatabase } from '../../databases/find-database.js'
import { removeFactors, shownFactor } from '../../factors/factors.js'
import type { KeyRequest } from '../../request.js'
import { findAccount } from './find-account.js'

type OfUser = KeyRequest & { params: { userId: string } }

/** Returns the second factors of a user. @throws {Problem} `user_not_found` */
export async function userFactors(
  store: Store,
  database: RuleDatabase,
  userRef: string,
): Promise<UserFactorList> {
  const { id: userId } = await findAccount(store, database, userRef)
  const key = { databaseId: database.id, userId }
  const factors = (await findFactors(store, key)).map(shownFactor)
  return { factors, recoveryCodes: await countRecoveryCodes(store, key) }
}

/** Returns the second factors of a user. @throws {Problem} `user_not_found` */
export const listUserFactors = (
  { store }: AppContext,
  { database, params }: OfUser,
): Promise<UserFactorList> => userFactors(store, database, params.userId)

/** Removes the second factors of a user who has lost them. @throws {Problem} `insufficient_scope`; `user_not_found` */
export async function removeUserFactors(context: AppContext, request: OfUser): Promise<void> {
  requireScope(request.apiKey, 'credentials:write')
  await runChange(context, request, (change) => removeFactors(change, request.params))
}
