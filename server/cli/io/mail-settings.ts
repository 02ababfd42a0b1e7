import type { MailSettings as MailSettingsBody } from '@usher/contract/management'
import { mailSettingEntries } from '../../domain/databases/mail-settings.js'
import { type AnySetting, shownSettings } from '../../domain/databases/settings.js'
import { readTemplates } from '../../domain/mail/templates.js'
import type { MailSettings } from '../../store/queries/mail-settings.js'
import type { Host } from './host.js'

/** The settings of mails, for options and output. */
export const mailEntries = mailSettingEntries as [keyof MailSettings, AnySetting][]

/** Returns the templates in a folder. @throws {TemplateError} */
export const templatesOf = async (host: Host, folder: string) =>
  folder === 'none' ? [] : readTemplates(host.resolve(folder), '--mail-templates')

/** Returns the settings of mails as JSON. Of a template, only its name. */
export const shownMails = ({ mailTemplates, ...settings }: MailSettingsBody) => ({
  ...settings,
  mailTemplates: mailTemplates.map(nameOfTemplate),
})

/** Returns the labels and values that commands print. */
export const linesOfMails = ({ mailTemplates, ...settings }: MailSettingsBody) => [
  ...shownSettings(settings, mailEntries),
  ['mail templates', mailTemplates.map(nameOfTemplate).join(', ') || 'those of the server'] as const,
]

const nameOfTemplate = ({ locale, name }: { locale: string; name: string }) => `${locale}/${name}`
