import type { z } from 'zod'
import { mailFields } from './management/mail-settings.js'
import { type Setting, settingsOf, text } from './setting.js'

const mail = <Schema extends z.ZodType>(placeholder: string, schema: Schema) => ({
  ...text(placeholder, schema),
  empty: 'that of the server',
})

/** How the mails of a database look. They are apart from the other settings, because only a delivery reads them. */
export const mailSettings = settingsOf({
  appName: {
    ...mail('name', mailFields.appName),
    title: 'app name',
    text: 'name of the app, which mails show and which is the name of their sender, or "none"',
  },
  mailSender: {
    ...mail('address', mailFields.mailSender),
    title: 'mail sender',
    text: 'address of the sender of mails, or "none"; the SMTP server must accept it',
  },
  mailReplyTo: {
    ...mail('address', mailFields.mailReplyTo),
    title: 'mail reply to',
    text: 'address for replies to mails, or "none"',
  },
  mailLogoUrl: {
    ...mail('url', mailFields.mailLogoUrl),
    title: 'mail logo URL',
    text: 'https URL of a logo that mails show in place of the name of the app, or "none"',
  },
  mailColor: {
    ...mail('color', mailFields.mailColor),
    title: 'mail color',
    text: 'color of the buttons in mails, such as #0b57d0, or "none"',
  },
  mailLocale: {
    ...mail('tag', mailFields.mailLocale),
    title: 'mail locale',
    text: 'language of mails whose user and request have none, such as pt-BR, or "none"',
  },
})

export const mailSettingEntries = Object.entries(mailSettings) as [keyof typeof mailSettings, Setting][]

/** The values of a database that has set none. */
export const defaultMailSettings = Object.fromEntries(
  mailSettingEntries.map(([name]) => [name, null]),
) as Record<keyof typeof mailSettings, string | null>
