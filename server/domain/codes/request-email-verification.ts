import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { UserRequest } from '../request.js'
import { requireCanonicalEmail } from '../users/canonical-email.js'
import { requestCode } from './code.js'

/** Sends a mail with a code to the user of a token, unless the address is verified. */
export async function requestEmailVerification(context: AppContext, request: UserRequest) {
  const { database, user, caller } = request
  if (user.emailVerifiedAt) return
  const canonicalEmail = requireCanonicalEmail(user.email)
  const purpose = 'email_verification'
  const sent = await requestCode(context, request, {
    purpose,
    canonicalEmail,
    findUserId: async () => user.id,
  })
  if (sent) audit(caller.log, 'email_verification.requested', { databaseId: database.id, userId: user.id })
}
