import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { findLoginMail, type LoginMailTarget } from '../../store/queries/login-attempts.js'
import { signedText } from '../keys/signed-text.js'
import { digitsOf } from '../logins/digits.js'
import type { CodeSender } from './deliver-code.js'
import { renderMail } from './templates.js'

/**
 * Sends the link and the digits of a login. Does nothing if the login has expired or was finished, or if nobody may log in or sign
 * up with the address: a closed database sends no mail to strangers.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverLoginCode(
  { store, findSecrets, now, mail, stopped }: CodeSender,
  { appUrl, signUp, loginMail }: Pick<Delivery, 'appUrl' | 'signUp' | 'loginMail'>,
  { databaseId, id }: Pick<DueMessage, 'id'> & { databaseId: string },
) {
  const target = await findLoginMail(store, { databaseId, id }, new Date(now()))
  if (!target || loginMail === 'off' || !isWelcome(target, signUp)) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { canonicalEmail } = target
  const secrets = await findSecrets(databaseId)
  const code = signedText(secrets, { purpose: 'login_code', id, canonicalEmail })
  const digits = digitsOf(secrets.sign('login_digits', id, canonicalEmail))
  const email = target.email.normalize('NFC')
  const content = renderMail(mail.templates, 'login_code', {
    link: loginMail === 'code' ? undefined : `${appUrl}/login#code=${code}`,
    digits: loginMail === 'link' ? undefined : digits,
    email,
  })
  await mail.sendMail({ id, to: email, ...content }, stopped)
}

/** Returns whether a login with the address can succeed: by an enabled account, or by a sign-up. */
const isWelcome = ({ hasAccount, isHeld, isInvited }: LoginMailTarget, signUp: boolean) =>
  hasAccount || (!isHeld && (signUp || isInvited))
