import { findInvitationMail } from '../../store/queries/invitations.js'
import { invitationCode } from '../invitations/code.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'
import { harmlessName } from './words.js'

/**
 * Sends an invitation to its address. Does nothing if it was accepted, revoked or sent again since.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverInvitation(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, id: codeId } = message
  const invitation = await findInvitationMail(sender.store, { databaseId, codeId })
  if (!invitation) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { email, canonicalEmail, expiresAt, tenantName, inviterName, locale } = invitation
  const code = invitationCode(await sender.findSecrets(databaseId), { codeId, canonicalEmail })
  const fields = {
    link: `${appUrl}/invitation#code=${code}`,
    email,
    tenant: harmlessName(tenantName),
    inviter: harmlessName(inviterName),
    expires: expiresAt,
  }
  await sendMail(sender, { ...message, appUrl }, { name: 'invitation', locale, fields })
}
