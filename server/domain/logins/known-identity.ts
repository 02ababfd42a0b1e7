import { useAttemptOfKnown } from '../../store/queries/login-attempts.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import type { TokenUser } from '../tokens/access-token.js'
import { Authentication, type SecondStep } from '../tokens/authentication.js'
import type { NewUserFields } from './new-user-fields.js'
import type { ProvenLogin } from './proof.js'

/** A login that has succeeded. */
export interface Success {
  user: TokenUser & Pick<UserOfToken, 'createdAt'>
  authentication: Authentication
  /** When the user has logged in. */
  at: Date
  isNewUser: boolean
}

/** A login that is finished, with the second step that its user has proven. */
export type Finishing = ProvenLogin & { second: SecondStep | undefined }

/**
 * Logs in the user of a known identity by one statement. Most logins at providers are of this kind: nothing is linked, and nobody
 * joins a tenant.
 *
 * @returns undefined if the login is of another kind, if the attempt was used, or if the user has changed meanwhile
 */
export async function logKnownIn(
  { store, now }: AppContext,
  { database, caller, body }: DatabaseRequest<NewUserFields>,
  { proof, user, isKnownIdentity, second }: Finishing,
): Promise<Success | undefined> {
  if (proof.kind !== 'external' || !user || !isKnownIdentity || user.disabledAt || body.invitationCode)
    return undefined
  const { id, usedAt, connection } = proof.attempt
  if (usedAt) return undefined
  const at = new Date(now())
  const authentication = Authentication.afterSteps(database, user, { way: 'idp', at: at.getTime(), second })
  const databaseId = database.id
  if (!(await useAttemptOfKnown(store, { databaseId, id }, { user, now: at }))) return undefined
  audit(caller.log, 'login.succeeded', { databaseId, userId: user.id, way: 'external', connection })
  return { user, authentication, at, isNewUser: false }
}
