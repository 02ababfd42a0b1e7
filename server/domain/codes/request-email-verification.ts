import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { UserRequest } from '../request.js'
import { requireCanonicalEmail } from '../users/canonical-email.js'
import { requestCode } from './code.js'

/** Sends a mail with a code to the user of a token, unless the address is verified. */
export async function requestEmailVerification(context: AppContext, { database, user, caller }: UserRequest) {
  if (user.emailVerifiedAt) return
  const canonicalEmail = requireCanonicalEmail(user.email)
  const sent = await requestCode(
    context,
    database,
    'email_verification',
    canonicalEmail,
    caller,
    async () => user.id,
  )
  if (sent) audit(caller.log, 'email_verification.requested', { databaseId: database.id, userId: user.id })
}
