import { mailFields } from '@usher/contract/management'
import type { z } from 'zod'
import type { MailSettings } from '../../store/queries/mail-settings.js'
import { setting } from './setting.js'

const mail = (
  schema: z.ZodType<string | null>,
  texts: { placeholder: string; description: string; label: string },
) =>
  setting({
    ...texts,
    schema,
    default: null,
    words: { none: null },
    read: (text: string) => text,
    show: (value) => value ?? 'that of the server',
  })

/** How the mails of a database look. They are apart from the other settings, because only a delivery reads them. */
export const mailSettings = {
  /** Name of the app, which every mail shows and which is the name of its sender. */
  appName: mail(mailFields.appName, {
    placeholder: '<name>',
    description: 'name of the app, which mails show and which is the name of their sender, or "none"',
    label: 'app name',
  }),
  /** Address of the sender. */
  mailSender: mail(mailFields.mailSender, {
    placeholder: '<address>',
    description: 'address of the sender of mails, or "none"; the SMTP server must accept it',
    label: 'mail sender',
  }),
  /** Address for replies. */
  mailReplyTo: mail(mailFields.mailReplyTo, {
    placeholder: '<address>',
    description: 'address for replies to mails, or "none"',
    label: 'mail replies',
  }),
  /** URL of the logo. */
  mailLogoUrl: mail(mailFields.mailLogoUrl, {
    placeholder: '<url>',
    description: 'https URL of a logo that mails show in place of the name of the app, or "none"',
    label: 'mail logo',
  }),
  /** Color of the buttons. */
  mailColor: mail(mailFields.mailColor, {
    placeholder: '<color>',
    description: 'color of the buttons in mails, such as #0b57d0, or "none"',
    label: 'mail color',
  }),
  /** Language of mails whose user and request have none. */
  mailLocale: mail(mailFields.mailLocale, {
    placeholder: '<tag>',
    description: 'language of mails whose user and request have none, such as pt-BR, or "none"',
    label: 'mail language',
  }),
} satisfies Record<keyof MailSettings, unknown>

export const mailSettingEntries = Object.entries(mailSettings) as [
  keyof MailSettings,
  (typeof mailSettings)[keyof MailSettings],
][]

/** The settings of a database that has set none. */
export const defaultMailSettings = Object.fromEntries(
  mailSettingEntries.map(([name]) => [name, null]),
) as MailSettings
