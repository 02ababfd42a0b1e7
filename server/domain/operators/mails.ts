import type { MailPreviewList, PreviewMailsQuery } from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import { requireAppUrl } from '../databases/find-database.js'
import { previewFields } from '../mail/preview.js'
import { renderFor } from '../mail/send-mail.js'
import { mailNames } from '../mail/templates.js'
import { requireDatabase } from '../management/databases.js'
import { invalidField, validationFailed } from '../problem.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

/** Returns the mails of a database with made-up values. @throws {Problem} `app_url_missing` */
export async function previewMails(
  { store, now, loadServerMails }: AppContext,
  { database, query }: OperatorDatabaseRequest & { query: PreviewMailsQuery },
): Promise<MailPreviewList> {
  const { template, locale } = query
  // Not the database of the request, which may be older than the last change.
  const { appUrl, id } = await requireDatabase(store, database)
  requireAppUrl({ ...database, appUrl })
  const names = template === undefined ? mailNames : mailNames.filter((name) => name === template)
  if (names.length === 0)
    throw validationFailed([invalidField('template', `must be one of ${mailNames.join(', ')}`)])
  const mail = await loadServerMails()
  const mails: MailPreviewList['mails'] = []
  for (const name of names) {
    const fields = previewFields(name, { appUrl, now: now() })
    const wanted = { name, fields, appUrl, languages: locale ? [locale] : [] }
    const { replyTo = null, ...rendered } = await renderFor({ store, mail }, id, wanted)
    mails.push({ name, replyTo, ...rendered })
  }
  return { mails }
}
