import type { RequestEmailChangeBody } from '@usher/contract'
import { storePendingChange } from '../../store/queries/email-changes.js'
import { insertMessages } from '../../store/queries/outbox.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { endOfCode } from '../codes/code.js'
import type { AppContext } from '../context.js'
import { mailMessage } from '../notices/mail-message.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { confirmUser } from '../users/authenticate.js'

/**
 * Sends a code to a new address, and notifies the current one. Does not check whether the new address is taken, so that
 * the response does not reveal it. The delivery of the mail checks it.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`; `too_many_mails`; `token_invalid` also if the tokens are revoked meanwhile
 */
export async function requestEmailChange(context: AppContext, request: UserRequest<RequestEmailChangeBody>) {
  const { database, user, body, caller } = request
  const { id: databaseId } = database
  await confirmUser(context, request, body.password)
  const canonicalEmail = requireCanonicalEmail(body.email)
  const now = new Date(context.now())
  const purpose = 'email_change'
  const mail = mailMessage({ databaseId, type: purpose, userId: user.id }, now)
  const pending = {
    databaseId,
    id: mail.id,
    email: body.email,
    canonicalEmail,
    createdAt: now,
    expiresAt: endOfCode(purpose, now),
  }
  const notice = mailMessage(
    { databaseId, type: 'email_change_requested', userId: user.id, recipient: user.email },
    now,
  )
  const limited = { purpose, canonicalEmail, clientAddress: caller.clientAddress, userId: user.id }
  const store = (count: CountRequest) =>
    context.store.transaction(databaseId, async (query) => {
      // The user is locked first. Otherwise all requests for mails would wait until a change of the user has ended.
      if (!(await storePendingChange({ query }, pending, user))) throw new Problem('token_invalid')
      await count({ query })
      await insertMessages({ query }, [mail, ...(database.appUrl === null ? [] : [notice])])
    })
  const refusal = await context.requestAllowance.count(database, limited, store).catch(ifDatabaseDeleted())
  if (refusal) {
    audit(caller.log, 'mail.throttled', { databaseId, limit: refusal.limit })
    throw new Problem('too_many_mails', refusal)
  }
  context.deliver([mail])
  audit(caller.log, 'email_change.requested', { databaseId, userId: user.id })
}
