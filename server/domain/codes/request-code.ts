import type { RequestPasswordResetBody } from '@usher/contract'
import { findUserId } from '../../store/queries/codes.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { mailMessage } from '../notices/mail-message.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import type { CodePurpose } from './code.js'

/**
 * Sends a mail with a code to the user with an address. The response reveals neither whether the user exists nor
 * whether the mail is sent.
 */
export async function requestPasswordReset(
  context: AppContext,
  request: DatabaseRequest<RequestPasswordResetBody>,
) {
  const { database, body, caller } = request
  const canonicalEmail = requireCanonicalEmail(body.email)
  const message = await requestCode(context, request, {
    purpose: 'password_reset',
    canonicalEmail,
    findUserId: (store) => findUserId(store, database.id, canonicalEmail),
  })
  if ('limit' in message) return
  const { userId } = message
  audit(caller.log, 'password_reset.requested', { databaseId: database.id, ...(userId && { userId }) })
}

/**
 * Sends a mail with a code to the user of a token, unless the address is verified.
 *
 * @throws {Problem} `too_many_mails`
 */
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
  if ('limit' in sent) throw new Problem('too_many_mails', sent)
  audit(caller.log, 'email_verification.requested', { databaseId: database.id, userId: user.id })
}

/** A requested code. */
interface RequestedCode {
  purpose: CodePurpose
  canonicalEmail: string
  /** Returns undefined to send nothing. */
  findUserId: (store: Pick<Store, 'query'>) => Promise<string | undefined>
}

/**
 * Counts a request for a code, and stores the message that sends it unless there were too many. The code itself is
 * created when the message is delivered, so a request does the same work whether or not the user exists.
 *
 * @returns the message, or the limit that is reached
 */
export async function requestCode(
  { requestAllowance, store, now, deliver }: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { purpose, canonicalEmail, findUserId }: RequestedCode,
) {
  const { id: databaseId } = database
  const request = { purpose, canonicalEmail, clientAddress: caller.clientAddress }
  const at = new Date(now())
  const storeWith = (countRequest: CountRequest) =>
    store.transaction(databaseId, async (query) => {
      await countRequest({ query })
      const message = mailMessage({ databaseId, type: purpose, userId: await findUserId({ query }) }, at)
      await insertMessages({ query }, [message])
      return message
    })
  const stored = await requestAllowance.count(database, request, storeWith).catch(ifDatabaseDeleted())
  if ('limit' in stored) audit(caller.log, 'mail.throttled', { databaseId, limit: stored.limit })
  else deliver([stored])
  return stored
}
