import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from '@commander-js/extra-typings'
import type { MailPreviewList } from '@usher/contract/operator'
import { mailNames } from '../../domain/mail/templates.js'
import { databasePath, userLocale } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { printableLines } from '../io/listing.js'

export function configure(mail: Command, { host, call }: Cli) {
  mail
    .command('preview')
    .argument('<workspace/name>', 'database', databasePath)
    .description('show the mails of a database with made-up values; sends nothing')
    .addOption(new Option('--template <name>', 'only this mail').choices(mailNames))
    .option('--locale <tag>', 'language, such as pt-BR; by default that of the database', userLocale)
    .option('--folder <folder>', 'write NAME.txt and NAME.html of each mail into this folder')
    .option('--json', 'print the result as JSON')
    .action(async (params, { template, locale, folder, json }) => {
      const body = await call('previewMails', {
        params,
        query: { template, ...(locale && { locale }) },
      })
      if (folder !== undefined) await writeMails(resolve(folder), body)
      const text =
        folder === undefined
          ? printableLines(body.mails.map(textOf).join(`\n${'-'.repeat(72)}\n`))
          : `Wrote ${body.mails.length} mails to ${folder}`
      host.print({ json }, body, text.trimEnd())
    })
}

async function writeMails(folder: string, { mails }: MailPreviewList) {
  await mkdir(folder, { recursive: true })
  for (const mail of mails) {
    await writeFile(join(folder, `${mail.name}.txt`), textOf(mail))
    await writeFile(join(folder, `${mail.name}.html`), mail.html)
  }
}

const textOf = ({ from, replyTo, subject, text }: MailPreviewList['mails'][number]) =>
  [
    `From: ${from.name} <${from.address}>`,
    ...(replyTo ? [`Reply-To: ${replyTo}`] : []),
    `Subject: ${subject}`,
    '',
    text,
  ].join('\n')
