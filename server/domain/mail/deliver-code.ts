import { storeCode } from '../../store/queries/codes.js'
import { listReserved } from '../../store/queries/reserved-addresses.js'
import { type CodePurpose, endOfCode, issueCode, lifetimeMilliseconds } from '../codes/code.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'
import { harmlessName } from './words.js'

const pages = { password_reset: 'reset-password', email_verification: 'verify-email' }

/** The mail that sends a code, if it is not that of its purpose. */
type Template = 'email_change_undone'

/**
 * Creates a code and sends it to a user. Does nothing if the code would have expired or was used, if the user is
 * deleted, disabled or has a newer code, or if the address is already verified.
 *
 * @param sender.stopped aborts the delivery
 * @throws if the mail cannot be sent
 */
export async function deliverCode(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { store, now } = sender
  const { databaseId, id, userId, createdAt } = message
  const { type: purpose, template = purpose } = message.payload as { type: CodePurpose; template?: Template }
  const expiresAt = endOfCode(purpose, createdAt)
  if (!userId || expiresAt.getTime() <= now()) return
  const user = await storeCode(
    store,
    { databaseId, id, purpose, userId, createdAt, expiresAt },
    ({ emailVerifiedAt }) => {
      if (purpose === 'email_verification' && emailVerifiedAt) return false
      if (!appUrl) throw new Error('the database has no app URL')
      return true
    },
  )
  if (!user) return
  const { canonicalEmail, preferredName, locale } = user
  // The composed form, however the address was stored.
  const email = user.email.normalize('NFC')
  const code = await issueCode(sender, { databaseId, id, purpose, canonicalEmail })
  // The user must know that another person may take the account back.
  const former = purpose === 'password_reset' && (await listReserved(store, { databaseId, userId })).at(-1)
  const fields = {
    email,
    name: harmlessName(preferredName) ?? email,
    link: `${appUrl}/${pages[purpose]}#code=${code}`,
    validFor: lifetimeMilliseconds[purpose],
    until: former && former.until.getTime() > now() ? former.until : undefined,
  }
  await sendMail(sender, { ...message, appUrl }, { name: template, locale, fields })
}
