import type { Command } from '@commander-js/extra-typings'
import type { MailSettings as MailSettingsBody } from '@usher/contract/management'
import { mailSettingEntries } from '../../domain/databases/mail-settings.js'
import { type AnySetting, shownSettings } from '../../domain/databases/settings.js'
import { readTemplates } from '../../domain/mail/templates.js'
import type { MailSettings } from '../../store/queries/mail-settings.js'
import type { Host } from './host.js'
import { givenSettings, settingOptions } from './setting-options.js'

/** The settings of mails, for options and output. */
const mailEntries = mailSettingEntries as [keyof MailSettings, AnySetting][]

/** Returns the templates in a folder. @throws {TemplateError} */
const templatesOf = async (host: Host, folder: string) =>
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

/** Adds the options of mails. */
export function addMailOptions<Arguments extends unknown[]>(command: Command<Arguments>) {
  for (const { option } of settingOptions(mailEntries)) command.addOption(option)
  return command.option(
    '--mail-templates <folder>',
    'folder with all templates of mails of the database, or "none"',
  )
}

/** Returns the settings of mails in the options of a command, if there are any. */
export async function givenMail(host: Host, { mailTemplates: folder, ...given }: { mailTemplates?: string }) {
  const mail = {
    ...givenSettings<MailSettings>(given, mailEntries),
    ...(folder !== undefined && { mailTemplates: await templatesOf(host, folder) }),
  }
  return Object.keys(mail).length > 0 && { mail }
}
