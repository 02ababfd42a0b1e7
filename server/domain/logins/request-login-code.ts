import type { RequestLoginCodeBody, StartedLogin } from '@usher/contract'
import { findAddressHolder, insertAttempt } from '../../store/queries/login-attempts.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { runWithinLimits } from '../change.js'
import { endOfCode } from '../codes/code.js'
import type { AppContext } from '../context.js'
import { mailMessage } from '../notices/mail-message.js'
import type { DatabaseRequest } from '../request.js'

/**
 * Starts a login by mail. Does the same for every address, also when no mail is sent. The delivery of the mail decides whether
 * there is somebody to send it to.
 */
export async function requestLoginCode(
  context: AppContext,
  request: DatabaseRequest<RequestLoginCodeBody>,
): Promise<StartedLogin> {
  const { database, body, caller } = request
  const { email, challenge } = body
  const { id: databaseId } = database
  const canonicalEmail = requireCanonicalEmail(email)
  const purpose = 'login_code'
  const startedAt = new Date(context.now())
  const mail = mailMessage({ databaseId, type: purpose, userId: undefined }, startedAt)
  const expiresAt = endOfCode(purpose, startedAt)
  await runWithinLimits(context, request, {
    limited: { purpose, canonicalEmail, clientAddress: caller.clientAddress },
    async rule(change, count) {
      await count(change)
      const user = await findAddressHolder(change, databaseId, { canonicalEmail })
      const generation = user?.generation ?? null
      const attempt = { id: mail.id, kind: 'mail', challenge, email, canonicalEmail, generation, expiresAt }
      await insertAttempt(change, { databaseId, ...attempt })
      return {
        result: mail,
        facts: [{ type: 'login_code.requested', ...(user && { userId: user.id }) }],
        mails: [mail],
      }
    },
  })
  return { login: mail.id, expiresAt: expiresAt.toISOString() }
}
