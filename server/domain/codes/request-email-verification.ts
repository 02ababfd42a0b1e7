import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { requireCanonicalEmail } from '../users/canonical-email.js'
import { userOfToken } from '../users/user-of-token.js'
import { requestCode } from './code.js'

/** Sends a mail with a code to the user of a token, unless the address is verified. */
export async function requestEmailVerification(
  context: AppContext,
  database: Database,
  jwt: string,
  client: { address: string; log: Log },
) {
  const { user } = await userOfToken(context, database, jwt, client.log)
  if (user.emailVerifiedAt) return
  const canonicalEmail = requireCanonicalEmail(user.email)
  const sent = await requestCode(
    context,
    database,
    'email_verification',
    canonicalEmail,
    client,
    async () => user.id,
  )
  if (sent) audit(client.log, 'email_verification.requested', { databaseId: database.id, userId: user.id })
}
