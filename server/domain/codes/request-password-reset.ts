import type { RequestPasswordResetBody } from '@usher/contract'
import { findUserId } from '../../store/queries/codes.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { requireCanonicalEmail } from '../users/canonical-email.js'
import { requestCode } from './code.js'

/** Sends a mail with a code to the user with an address. Tells neither whether there is one nor whether it was sent. */
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
  if (!message) return
  const { userId } = message
  audit(caller.log, 'password_reset.requested', { databaseId: database.id, ...(userId && { userId }) })
}
