import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { findInvitationMail } from '../../store/queries/invitations.js'
import { invitationCode } from '../invitations/code.js'
import type { CodeSender } from './deliver-code.js'
import { renderMail } from './templates.js'
import { harmlessName, shownTime } from './words.js'

/**
 * Sends an invitation to its address. Does nothing if it was accepted, revoked or sent again since.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverInvitation(
  { store, findSecrets, mail, stopped }: CodeSender,
  { appUrl }: Pick<Delivery, 'appUrl'>,
  { databaseId, id: codeId }: Pick<DueMessage, 'id'> & { databaseId: string },
) {
  const invitation = await findInvitationMail(store, { databaseId, codeId })
  if (!invitation) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { email, canonicalEmail, expiresAt, tenantName, inviterName } = invitation
  const code = invitationCode(await findSecrets(databaseId), { codeId, canonicalEmail })
  const content = renderMail(mail.templates, 'invitation', {
    link: `${appUrl}/invitation#code=${code}`,
    email,
    tenant: harmlessName(tenantName),
    inviter: harmlessName(inviterName),
    expires: shownTime(expiresAt),
  })
  await mail.sendMail({ id: codeId, to: email, ...content }, stopped)
}
