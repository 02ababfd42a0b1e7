import type { RequestEmailChangeBody } from '@usher/contract'
import { storePendingChange } from '../../store/queries/email-changes.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { requireLocked, runWithinLimits } from '../change.js'
import { endOfCode } from '../codes/code.js'
import type { AppContext } from '../context.js'
import { confirmUser } from '../factors/confirm.js'
import { mailMessage } from '../notices/mail-message.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'

/**
 * Sends a code to a new address, and notifies the current one. Does not check whether the new address is taken, so that
 * the response does not reveal it. The delivery of the mail checks it.
 *
 * @throws {Problem} those of `confirmUser`; `too_many_mails`; `token_invalid` also if the tokens are revoked meanwhile
 */
export async function requestEmailChange(context: AppContext, request: UserRequest<RequestEmailChangeBody>) {
  const { database, user, body, caller } = request
  const { id: userId, email: recipient } = user
  await confirmUser(context, request, body)
  const { email } = body
  const canonicalEmail = requireCanonicalEmail(email)
  const purpose = 'email_change'
  const sent = await runWithinLimits(context, request, {
    limited: { purpose, canonicalEmail, clientAddress: caller.clientAddress, userId },
    async rule(change, count) {
      const { now: createdAt } = change
      const mailOf = (mail: { type: string; recipient?: string }) =>
        mailMessage({ databaseId: database.id, userId, ...mail }, createdAt)
      const mail = mailOf({ type: purpose })
      const expiresAt = endOfCode(purpose, createdAt)
      const pending = { databaseId: database.id, id: mail.id, email, canonicalEmail, createdAt, expiresAt }
      // First, because otherwise all requests for mails would wait until another change of the user has ended.
      await requireLocked(change, userId)
      await storePendingChange(change, pending, user)
      await count(change)
      const notices = database.appUrl === null ? [] : [mailOf({ type: 'email_change_requested', recipient })]
      return {
        result: pending,
        facts: [{ type: 'email_change.requested', userId }],
        mails: [mail, ...notices],
      }
    },
  })
  if ('limit' in sent) throw new Problem('too_many_mails', sent)
}
