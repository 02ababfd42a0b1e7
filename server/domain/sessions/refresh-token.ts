import type { RefreshToken } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'

// A refresh token is `session.number.mac`. The store contains neither the token nor a hash of it.

/** The session of a refresh token, and the number of its refreshes when the token was issued. */
interface Claims {
  sessionId: string
  refreshes: number
}

/** Returns the refresh token of a session, valid until the session expires. */
export async function issueRefreshToken(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  database: Pick<Database, 'id'>,
  { id: sessionId, refreshes, expiresAt }: { id: string; refreshes: number; expiresAt: Date },
): Promise<RefreshToken> {
  const mac = (await findSecrets(database.id)).sign('refresh_token', sessionId, refreshes)
  const maxAge = Math.max(0, Math.floor((expiresAt.getTime() - now()) / 1000))
  return { value: `${sessionId}.${refreshes}.${mac}`, maxAge, type: 'REFRESH_TOKEN' }
}

/** Returns the claims of a refresh token, or undefined if the database has not issued it. */
export async function readRefreshToken(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  database: Pick<Database, 'id'>,
  value: string,
): Promise<Claims | undefined> {
  const [, sessionId = '', digits = '', mac = ''] =
    /^([0-9a-f-]{36})\.(0|[1-9]\d{0,8})\.([\w-]{43})$/.exec(value) ?? []
  if (!isUuid(sessionId)) return undefined
  const refreshes = Number(digits)
  const secrets = await findSecrets(database.id)
  return secrets.verify(mac, 'refresh_token', sessionId, refreshes) ? { sessionId, refreshes } : undefined
}
