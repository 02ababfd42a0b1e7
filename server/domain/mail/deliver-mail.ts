import { findRecipient, storeCode } from '../../store/queries/codes.js'
import { findChangeMail } from '../../store/queries/email-changes.js'
import { findInvitationMail } from '../../store/queries/invitations.js'
import { findLoginMail, type LoginMailTarget } from '../../store/queries/login-attempts.js'
import { findReserved, listReserved } from '../../store/queries/reserved-addresses.js'
import { type CodePurpose, endOfCode, issueCode, lifetimeMilliseconds } from '../codes/code.js'
import { invitationCode } from '../invitations/code.js'
import { signedText } from '../keys/signed-text.js'
import { digitsOf } from '../login/mail.js'
import type { OwnerMail } from '../notices/mail-message.js'
import type { Notice } from '../notices/notice.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'
import type { MailName } from './templates.js'

type Deliver = (sender: MailSender, delivery: MailDelivery, message: MailMessage) => Promise<void>

/** What sends each mail, by the type of its message. */
const deliveries: Record<Exclude<MailName, 'email_taken' | 'email_change_undone'>, Deliver> = {
  password_reset: deliverCode,
  email_verification: deliverCode,
  login_code: deliverLoginCode,
  invitation: deliverInvitation,
  email_change: deliverEmailChange,
  email_change_undo: deliverEmailChangeUndo,
  email_change_requested: deliverNotice,
  email_changed: deliverNotice,
  password_changed: deliverNotice,
  new_network: deliverNotice,
  session_reused: deliverNotice,
  factor_added: deliverNotice,
  factor_removed: deliverNotice,
  recovery_codes_created: deliverNotice,
  second_step_failed: deliverNotice,
  identity_linked: deliverNotice,
  identity_removed: deliverNotice,
  account_deleted: deliverNotice,
  sso_changed: deliverNotice,
  sso_domain_missing: deliverNotice,
}

/**
 * Sends the mail of a message.
 *
 * @throws if the mail cannot be sent, also if a later version has stored it: a server of that version will send it
 */
export const deliverMail: Deliver = (sender, delivery, message) => {
  const { type } = message.payload as { type: string }
  if (!Object.hasOwn(deliveries, type)) throw new Error(`this version does not know the mail ${type}`)
  return deliveries[type as keyof typeof deliveries](sender, delivery, message)
}

/**
 * Sends the link and the digits of a login. Does nothing if the login has expired or was finished, or if nobody may log in or sign
 * up with the address: if sign-up is closed, only accounts and invited addresses get a mail.
 *
 * @throws if the mail cannot be sent
 */
async function deliverLoginCode(
  sender: MailSender,
  { appUrl, signUp, loginMail }: MailDelivery,
  message: MailMessage,
) {
  const { databaseId, id } = message
  const target = await findLoginMail(sender.store, { databaseId, id }, new Date(sender.now()))
  if (!target || loginMail === 'off' || !isWelcome(target, signUp)) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { canonicalEmail } = target
  const secrets = await sender.findSecrets(databaseId)
  const name = 'login_code'
  const code = signedText(secrets, { purpose: name, id, canonicalEmail })
  const digits = digitsOf(secrets.sign('login_digits', id, canonicalEmail))
  const email = target.email.normalize('NFC')
  const fields = {
    email,
    name: target.hasAccount ? (harmlessName(target.preferredName) ?? email) : undefined,
    link: loginMail === 'code' ? undefined : `${appUrl}/login#code=${code}`,
    digits: loginMail === 'link' ? undefined : digits,
    validFor: lifetimeMilliseconds[name],
  }
  await sendMail(sender, { ...message, appUrl }, { name, locale: target.locale, fields })
}

/** Returns whether a login with the address can succeed: by an enabled account, or by a sign-up. */
const isWelcome = ({ hasAccount, isHeld, isInvited }: LoginMailTarget, signUp: boolean) =>
  hasAccount || (!isHeld && (signUp || isInvited))

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

/**
 * Sends the code of a requested change to the new address, or says there that the address is taken. Does nothing if the
 * change was made or cancelled, or if a newer one was requested.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChange(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, id } = message
  const change = await findChangeMail(sender.store, { databaseId, id })
  if (!change) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { email, canonicalEmail, isTaken, locale } = change
  // Its reader need not be the user, so the mail contains nothing that the user has chosen.
  if (isTaken)
    return sendMail(sender, { ...message, appUrl }, { name: 'email_taken', locale, fields: { email } })
  const purpose = 'email_change'
  const code = await issueCode(sender, { databaseId, id, purpose, canonicalEmail })
  const link = `${appUrl}/change-email#code=${code}`
  const fields = { email, link, validFor: lifetimeMilliseconds[purpose] }
  await sendMail(sender, { ...message, appUrl }, { name: purpose, locale, fields })
}

/**
 * Notifies a former address that the user has a new one. The mail has a code to undo the change while the address is reserved.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChangeUndo(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, id, recipient, userId } = message
  const { store } = sender
  if (!recipient) return
  if (!appUrl) throw new Error('the database has no app URL')
  const purpose = 'email_change_undo'
  const reserved = await findReserved(store, { databaseId, id })
  const code =
    reserved &&
    (await issueCode(sender, { databaseId, id, purpose, canonicalEmail: reserved.canonicalEmail }))
  const user = userId ? await findRecipient(store, databaseId, userId) : undefined
  const fields = {
    email: recipient.normalize('NFC'),
    link: code && `${appUrl}/undo-email-change#code=${code}`,
    validFor: lifetimeMilliseconds[purpose],
  }
  await sendMail(sender, { ...message, appUrl }, { name: purpose, locale: user?.locale, fields })
}

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

/** What a message says about a mail without a code. */
interface NoticePayload {
  type: Notice | OwnerMail | 'email_change_requested'
  provider?: string
  domain?: string
  tenant?: string
}

/**
 * Sends a mail without a code. Does nothing if it is for the current address of a user who was deleted.
 *
 * @throws if the mail cannot be sent
 */
async function deliverNotice(
  sender: MailSender,
  delivery: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, userId, payload, recipient, createdAt } = message
  const { type: name, provider, domain, tenant = null } = payload as unknown as NoticePayload
  const user = userId ? await findRecipient(sender.store, databaseId, userId) : undefined
  const address = recipient ?? user?.email
  if (!address) return
  const email = address.normalize('NFC')
  const fields = {
    email,
    name: harmlessName(user?.preferredName ?? null) ?? email,
    provider,
    domain,
    tenant: harmlessName(tenant),
    time: createdAt,
  }
  await sendMail(sender, { ...message, ...delivery }, { name, locale: user?.locale, fields })
}

/** Dots that browsers and mail clients read as a dot of a host name (UTS 46). */
const dots = /[.\u3002\uFF0E\uFF61]/gu

// A label of one letter does not end a host name, so that "J. R. Smith" and "J.R." are names. Other labels may be symbols,
// such as emoji.
const hostName = /[^\s.]\.(?:\p{L}{2}|xn--)|\d(?:\.\d+){3}/iu
const scheme = /\p{L}[\p{L}\p{N}+.-]{0,30}:\S/u

/**
 * Returns a name that a user has chosen if a mail may show it. Returns undefined if it contains a URL or a dotted host name,
 * which a mail client would turn into a link, in a mail that the reader trusts.
 */
export function harmlessName(name: string | null) {
  if (name === null) return undefined
  // Invisible characters and accents would hide a host name from the patterns. An unassigned character stays, because it may
  // be an emoji of a later version of Unicode.
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(dots, '.')
  return hostName.test(plain) || scheme.test(plain) ? undefined : name
}
