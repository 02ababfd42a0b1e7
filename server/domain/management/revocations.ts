import type { ListRevocationsQuery, RevocationList } from '@usher/contract/management'
import type { RevocationPayload } from '../../store/queries/stored-revocations.js'
import type { AppContext } from '../context.js'
import type { KeyRequest } from '../request.js'
import { revocationMilliseconds } from '../tokens/access-token.js'
import { followList } from './follow-list.js'

/**
 * Returns the revocations after a cursor. If there is none, waits for one for the time that the client requests.
 *
 * @throws {Problem} `cursor_expired`; `key_invalid` also if the key is revoked meanwhile
 */
export async function listRevocations(
  context: AppContext,
  request: KeyRequest & { query: ListRevocationsQuery },
): Promise<RevocationList> {
  const { rows, ...place } = await followList(context, context.revocations, request)
  const revocations = rows.map(({ payload, createdAt }) => ({
    ...(payload as RevocationPayload),
    expiresAt: new Date(createdAt.getTime() + revocationMilliseconds).toISOString(),
  }))
  return { revocations, ...place }
}
