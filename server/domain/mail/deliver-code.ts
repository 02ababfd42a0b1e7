import { storeCode } from '../../store/queries/codes.js'
import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { listReserved } from '../../store/queries/reserved-addresses.js'
import { type CodePurpose, endOfCode, issueCode } from '../codes/code.js'
import type { AppContext } from '../context.js'
import type { SendMail } from './mailer.js'
import { renderMail, type Templates } from './templates.js'
import { shownTime } from './words.js'

const pages = { password_reset: 'reset-password', email_verification: 'verify-email' }

/** The mail that sends a code, if it is not that of its purpose. Earlier versions do not read it. */
type Template = 'email_change_undone'

/** What is needed to send codes. */
export interface CodeSender extends Pick<AppContext, 'store' | 'findSecrets' | 'now'> {
  mail: { templates: Templates; sendMail: SendMail }
  stopped: AbortSignal
}

/**
 * Creates a code and sends it to a user. Does nothing if the code would have expired or was used, if the user is
 * deleted, disabled or has a newer code, or if the address is already verified.
 *
 * @param sender.stopped aborts the delivery
 * @throws if the mail cannot be sent
 */
export async function deliverCode(
  sender: CodeSender,
  { appUrl }: Pick<Delivery, 'appUrl'>,
  message: DueMessage & { databaseId: string },
) {
  const { store, now, mail, stopped } = sender
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
  const { email, canonicalEmail, preferredName } = user
  const code = await issueCode(sender, { databaseId, id, purpose, canonicalEmail })
  const link = `${appUrl}/${pages[purpose]}#code=${code}`
  // The user must know that another person may take the account back.
  const former = purpose === 'password_reset' && (await listReserved(store, { databaseId, userId })).at(-1)
  const until = former && former.until.getTime() > now() ? shownTime(former.until) : undefined
  const content = renderMail(mail.templates, template, { link, email, name: preferredName ?? email, until })
  // Earlier versions stored addresses as entered.
  await mail.sendMail({ id, to: email.normalize('NFC'), ...content }, stopped)
}
