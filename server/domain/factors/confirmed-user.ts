import { randomUUID } from 'node:crypto'
import type { ConfirmedUser } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { issueConfirmation, type NewConfirmation } from '../second-factor/confirmation.js'
import { type CompletedLogin, completeLogin } from '../users/complete-login.js'

/** A login, and what the user has just proven: by default all that the token says. */
type ConfirmedLogin = CompletedLogin & { confirmed?: Pick<NewConfirmation, 'amr' | 'expiresAt'> }

/** Completes a login as {@link completeLogin}, and returns a confirmation with the token. */
export async function confirmedUser(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { tokenId = randomUUID(), confirmed, ...login }: ConfirmedLogin,
): Promise<ConfirmedUser> {
  const signedIn = await completeLogin(context, request, { ...login, tokenId })
  const { user, session, authentication } = login
  const { amr, expiresAt } = { ...authentication, ...confirmed }
  const confirmation = { user, tokenId: session?.id ?? tokenId, amr, expiresAt }
  return { ...signedIn, confirmation: await issueConfirmation(context, request.database, confirmation) }
}
