import type { CreateCodeBody, IdempotencyHeaders, UserCode } from '@usher/contract/management'
import { storeReturnedCode } from '../../../store/queries/codes.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import { requireScope } from '../../api-keys/admit-api-key.js'
import { endOfCode } from '../../codes/code.js'
import type { AppContext } from '../../context.js'
import { signedText } from '../../keys/signed-text.js'
import { mailMessage } from '../../notices/mail-message.js'
import { Problem } from '../../problem.js'
import { type KeepResponse, oncePerKey } from '../once-per-key.js'
import { operationOf } from '../operation.js'
import { noteUserChanges, type OnUser } from './managed-changes.js'
import { requireRecipient } from './send-reset.js'

/** Sends a code to a user, or returns it. It replaces earlier codes of its purpose. */
export function createManagedCode(
  context: AppContext,
  request: OnUser<CreateCodeBody> & { headers: IdempotencyHeaders },
): Promise<UserCode> {
  const { apiKey, params, body, database } = request
  const isReturned = body.deliver === 'return'
  if (isReturned) requireScope(apiKey, 'credentials:write')
  const work = async (keep: KeepResponse<UserCode>) => {
    const { store, now } = operationOf(context, request)
    const { account } = await requireRecipient(store, database, {
      userRef: params.userId,
      byMail: !isReturned,
    })
    const { databaseId, id: userId } = account
    const { purpose } = body
    if (purpose === 'email_verification' && account.emailVerifiedAt)
      throw new Problem('refused', { detail: 'The address is already verified.' })
    const secrets = await context.findSecrets(databaseId)
    const message = mailMessage({ databaseId, type: purpose, userId }, now)
    const expiresAt = endOfCode(purpose, now)
    const response = await store.transaction(databaseId, async (query) => {
      const created = { code: null, expiresAt: expiresAt.toISOString() }
      if (!isReturned) {
        await insertMessages({ query }, [message])
        await keep({ query }, created, userId)
        return created
      }
      const { id } = message
      const code = { databaseId, id, purpose, userId, createdAt: now, expiresAt }
      const user = await storeReturnedCode({ query }, code)
      if (!user) throw new Problem('refused', { detail: 'The user is disabled or was deleted.' })
      const { canonicalEmail } = user
      const returned = { ...created, code: signedText(secrets, { id, purpose, canonicalEmail }) }
      await keep({ query }, returned, userId)
      return returned
    })
    noteUserChanges(context, request, ['user.code_created'])
    if (!isReturned) context.deliver([{ databaseId: database.id, kind: 'mail' }])
    return response
  }
  return oncePerKey<UserCode>(context, request, { operation: 'createUserCode', secrets: ['code'], work })
}
