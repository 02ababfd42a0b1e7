import { defaultMailSettings } from '@usher/contract/settings'
import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { findMailSettings, listMailTemplates } from '../../store/queries/mail-settings.js'
import type { Queries } from '../../store/store.js'
import type { AppContext } from '../context.js'
import { languagesOf } from '../notices/mail-message.js'
import type { Mail, SendMail, MailSettings as ServerSettings } from './mailer.js'
import { type MailFields, renderMail } from './render.js'
import { keyOf, type MailName, type Template, type Templates } from './templates.js'

/** What a server sends mails with. */
export interface ServerMails extends Pick<ServerSettings, 'from'> {
  templates: Templates
}

/** What is needed to send mails. */
export interface MailSender extends Pick<AppContext, 'store' | 'findSecrets' | 'now'> {
  mail: ServerMails & { sendMail: SendMail }
  stopped: AbortSignal
}

/** A message that is due, and its database. */
export type MailMessage = Pick<DueMessage, 'id' | 'userId' | 'payload' | 'recipient' | 'createdAt'> & {
  databaseId: string
}

/** What decides about the mails of a database. */
export type MailDelivery = Pick<Delivery, 'appUrl' | 'signUp' | 'loginMail'>

/** A mail before its language is chosen. */
export interface Unrendered {
  name: MailName
  /** Language of the user as currently stored, which comes before those of the request. */
  locale: string | null | undefined
  fields: MailFields
}

/** Sends a mail of a message to the address in its fields. @throws if it cannot be sent */
export async function sendMail(
  { store, mail, stopped }: MailSender,
  { databaseId, id, payload, appUrl }: MailMessage & Pick<MailDelivery, 'appUrl'>,
  { locale, ...unrendered }: Unrendered,
) {
  const languages = [locale, ...languagesOf({ payload })].filter((each) => each != null)
  const styled = { appUrl, languages, ...unrendered }
  const rendered = await renderFor({ store, mail }, databaseId, styled)
  await mail.sendMail({ id, to: unrendered.fields.email, ...rendered }, stopped)
}

/** Returns a mail as a database sends it. */
export async function renderFor(
  { store, mail }: { store: Queries; mail: ServerMails },
  databaseId: string,
  {
    name,
    fields,
    languages,
    appUrl,
  }: Omit<Unrendered, 'locale'> & Pick<MailDelivery, 'appUrl'> & { languages: readonly string[] },
): Promise<Omit<Mail, 'id' | 'to'>> {
  const settings = await findMailSettings(store, databaseId)
  const templates = (await listMailTemplates(store, databaseId, name)) as Template[]
  const { mailLocale, mailSender, mailReplyTo, mailLogoUrl, mailColor } = settings ?? defaultMailSettings
  const app = settings?.appName ?? nameOfApp(mail, appUrl)
  const rendered = renderMail(name, fields, {
    app,
    appUrl,
    logoUrl: mailLogoUrl,
    color: mailColor ?? defaultColor,
    own: new Map(templates.map((each) => [keyOf(each), each])),
    templates: mail.templates,
    languages: [...languages, ...(mailLocale ? [mailLocale] : [])],
  })
  const from = { name: settings?.appName ?? mail.from.name, address: mailSender ?? mail.from.address }
  return { from, ...(mailReplyTo && { replyTo: mailReplyTo }), ...rendered }
}

/** Has a contrast of 6.4 to white. */
const defaultColor = '#0b57d0'

/** Returns the name of the app of a database that has not set one. */
const nameOfApp = ({ from }: ServerMails, appUrl: string | null) =>
  from.name || (appUrl ? new URL(appUrl).hostname : from.address.replace(/^.*@/, ''))
