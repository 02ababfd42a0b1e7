import type { Command } from '@commander-js/extra-typings'
import type { MailSettings as MailSettingsBody } from '@usher/contract/management'
import { mailSettingEntries } from '@usher/contract/settings'
import { readTemplates } from '../../domain/mail/templates.js'
import type { MailSettings } from '../../store/queries/mail-settings.js'
import type { Host } from './host.js'
import { givenSettings, settingOptions, shownSettings } from './setting-options.js'

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
  ...shownSettings(settings, mailSettingEntries),
  ['mail templates', mailTemplates.map(nameOfTemplate).join(', ') || 'those of the server'] as const,
]

const nameOfTemplate = ({ locale, name }: { locale: string; name: string }) => `${locale}/${name}`

/** Adds the options of mails. */
export function addMailOptions<Arguments extends unknown[]>(command: Command<Arguments>) {
  for (const { option } of settingOptions(mailSettingEntries)) command.addOption(option)
  return command.option(
    '--mail-templates <folder>',
    'folder with all templates of mails of the database, or "none"',
  )
}

/** Returns the settings of mails in the options of a command, if there are any. */
export async function givenMail(host: Host, { mailTemplates: folder, ...given }: { mailTemplates?: string }) {
  const mail = {
    ...givenSettings<MailSettings>(given, mailSettingEntries),
    ...(folder !== undefined && { mailTemplates: await templatesOf(host, folder) }),
  }
  return Object.keys(mail).length > 0 && { mail }
}
