import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { MailSettings as MailSettingsBody } from '@usher/contract/management'
import { mailSettingEntries } from '@usher/contract/settings'
import { readTemplates } from '../../domain/mail/templates.js'
import type { MailSettings } from '../../store/queries/mail-settings.js'
import { givenSettings, settingOptions, shownSettings } from './setting-options.js'

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
export async function givenMails({ mailTemplates: folder, ...given }: { mailTemplates?: string }) {
  const mails = {
    ...givenSettings<MailSettings>(given, mailSettingEntries),
    ...(folder !== undefined && { mailTemplates: await templatesOf(folder) }),
  }
  return Object.keys(mails).length > 0 ? { mails } : undefined
}

/** Returns the templates in a folder. @throws {TemplateError} */
const templatesOf = async (folder: string) =>
  folder === 'none' ? [] : readTemplates(resolve(folder), '--mail-templates')
