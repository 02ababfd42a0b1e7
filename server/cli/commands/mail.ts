import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from '@commander-js/extra-typings'
import { requireAppUrl } from '../../domain/databases/find-database.js'
import { previewFields } from '../../domain/mail/preview.js'
import { renderFor } from '../../domain/mail/send-mail.js'
import { loadTemplates, mailNames } from '../../domain/mail/templates.js'
import { databasePath, userLocale } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { printableLines } from '../io/listing.js'
import { withDatabase } from '../io/with-store.js'

export function configure(mail: Command, host: Host) {
  mail
    .command('preview')
    .argument('<workspace/name>', 'database', databasePath)
    .description('show the mails of a database with made-up values; sends nothing')
    .addOption(new Option('--template <name>', 'only this mail').choices(mailNames))
    .option('--locale <tag>', 'language, such as pt-BR; by default that of the database', userLocale)
    .option('--folder <folder>', 'write NAME.txt and NAME.html of each mail into this folder')
    .option('--json', 'print the result as JSON')
    .action((path, { template, locale, folder, json }) =>
      withDatabase(host, path, async ({ context: { store, now }, config, database }) => {
        requireAppUrl(database)
        const { appUrl, id } = database
        const server = { from: config.mail.from, templates: await loadTemplates(config.mail.templates) }
        const names = template === undefined ? mailNames : [template]
        const mails = []
        for (const name of names) {
          const fields = previewFields(name, { appUrl, now: now() })
          const wanted = { name, fields, appUrl, languages: locale ? [locale] : [] }
          mails.push({ name, ...(await renderFor({ store, mail: server }, id, wanted)) })
        }
        if (folder !== undefined) await mkdir(host.resolve(folder), { recursive: true })
        for (const { name, html, ...rest } of folder === undefined ? [] : mails) {
          await writeFile(join(host.resolve(folder as string), `${name}.txt`), textOf(rest))
          await writeFile(join(host.resolve(folder as string), `${name}.html`), html)
        }
        const shown =
          folder === undefined
            ? printableLines(mails.map(textOf).join(`\n${'-'.repeat(72)}\n`))
            : `Wrote ${mails.length} mails to ${folder}`
        host.print({ json }, mails, shown.trimEnd())
      }),
    )
}

interface Shown {
  from: { name: string; address: string }
  replyTo?: string
  subject: string
  text: string
}

const textOf = ({ from, replyTo, subject, text }: Shown) =>
  [
    `From: ${from.name} <${from.address}>`,
    ...(replyTo ? [`Reply-To: ${replyTo}`] : []),
    `Subject: ${subject}`,
    '',
    text,
  ].join('\n')
