import type { StoredApiKey } from '../../store/queries/api-keys.js'
import { type FoundUser, findManagedUsers } from '../../store/queries/managed-user.js'
import type { Queries } from '../../store/store.js'
import type { Throttle } from '../throttle/login-throttle.js'

/** A user as a backend sees it, and for how long a login may have to wait. */
export type UserState = FoundUser & { throttledUntil: Date | null }

/** A user, and the API key of the request that reads the user. */
export interface WantedUser {
  id: string
  /** Undefined if the key has been read already. */
  apiKeyId?: string | undefined
}

export interface ManagedUserRead {
  user: UserState | undefined
  apiKey: StoredApiKey | undefined
}

/** Returns users with the API keys of their requests, in the order of the wanted ones. */
export async function readManagedUsers(
  { store, throttle, now }: { store: Queries; throttle: Throttle; now: () => number },
  databaseId: string,
  wanted: readonly WantedUser[],
): Promise<ManagedUserRead[]> {
  const ids = [...new Set(wanted.map(({ id }) => id))]
  const apiKeyIds = [...new Set(wanted.flatMap(({ apiKeyId }) => apiKeyId ?? []))]
  const delaying = throttle.leastDelaying()
  const found = await findManagedUsers(
    store,
    { databaseId, now: new Date(now()), delaying },
    { ids, apiKeyIds },
  )
  const emails = found.users.map((user) => user?.canonicalEmail ?? '')
  const at = now()
  // A second statement, because the store has no address in its counts, only a HMAC of it.
  const delays = found.mayDelay ? await throttle.delays(store, databaseId, emails) : []
  const users = new Map(
    found.users.map((user, index) => [
      ids[index],
      user &&
        Object.assign(user, { throttledUntil: delays[index] ? new Date(at + delays[index] * 1000) : null }),
    ]),
  )
  const apiKeys = new Map(found.apiKeys.map((key) => [key.id, key]))
  return wanted.map(({ id, apiKeyId = '' }) => ({ user: users.get(id), apiKey: apiKeys.get(apiKeyId) }))
}
