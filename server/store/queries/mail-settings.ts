import type { MailSettings as Row, MailTemplate as TemplateRow } from '../generated/client.js'
import type { Queries } from '../store.js'

/** How the mails of a database look. Null: as the server's settings say. */
export type MailSettings = Omit<Row, 'databaseId'>
export type StoredTemplate = Omit<TemplateRow, 'databaseId'>

const columns = `app_name AS "appName", mail_sender AS "mailSender", mail_reply_to AS "mailReplyTo",
  mail_logo_url AS "mailLogoUrl", mail_color AS "mailColor", mail_locale AS "mailLocale"`

/** Returns the mail settings of a database, or undefined if none was ever set. */
export async function findMailSettings({ query }: Queries, databaseId: string) {
  const [settings] = await query<MailSettings>(findStatement, [databaseId])
  return settings
}

const findStatement = `SELECT ${columns} FROM usher.mail_settings WHERE database_id = $1::uuid`

/** Locks the mail settings of a database until the transaction ends, and returns them. */
export async function lockMailSettings({ query }: Queries, databaseId: string) {
  await query(insertStatement, [databaseId])
  const [settings] = await query<MailSettings>(`${findStatement} FOR UPDATE`, [databaseId])
  return settings as MailSettings
}

const insertStatement =
  'INSERT INTO usher.mail_settings (database_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING'

/** Stores locked mail settings. */
export const updateMailSettings = (
  { query }: Queries,
  databaseId: string,
  { appName, mailSender, mailReplyTo, mailLogoUrl, mailColor, mailLocale }: MailSettings,
) =>
  query(updateStatement, [databaseId, appName, mailSender, mailReplyTo, mailLogoUrl, mailColor, mailLocale])

const updateStatement = `
  UPDATE usher.mail_settings SET app_name = $2, mail_sender = $3, mail_reply_to = $4, mail_logo_url = $5,
    mail_color = $6, mail_locale = $7
  WHERE database_id = $1::uuid`

/** Returns the templates of a database in all languages, of one mail or of all. */
export const listMailTemplates = ({ query }: Queries, databaseId: string, name?: string) =>
  name === undefined
    ? query<StoredTemplate>(listStatement, [databaseId])
    : query<StoredTemplate>(listOfMailStatement, [databaseId, name])

const listOfMailStatement = `
  SELECT name, locale, text, html FROM usher.mail_template WHERE database_id = $1::uuid AND name = $2`

const listStatement = `
  SELECT name, locale, text, html FROM usher.mail_template WHERE database_id = $1::uuid ORDER BY name, locale`

export const putMailTemplate = (
  { query }: Queries,
  databaseId: string,
  { name, locale, text, html }: StoredTemplate,
) => query(putStatement, [databaseId, name, locale, text, html])

const putStatement = `
  INSERT INTO usher.mail_template (database_id, name, locale, text, html) VALUES ($1::uuid, $2, $3, $4, $5)
  ON CONFLICT (database_id, name, locale) DO UPDATE SET text = excluded.text, html = excluded.html`

export const deleteMailTemplate = (
  { query }: Queries,
  databaseId: string,
  { name, locale }: Pick<StoredTemplate, 'name' | 'locale'>,
) => query(deleteStatement, [databaseId, name, locale])

const deleteStatement = `
  DELETE FROM usher.mail_template WHERE database_id = $1::uuid AND name = $2 AND locale = $3`

export const deleteMailTemplates = ({ query }: Queries, databaseId: string) =>
  query('DELETE FROM usher.mail_template WHERE database_id = $1::uuid', [databaseId])

/** Returns the size of all templates of a database. */
export async function bytesOfTemplates({ query }: Queries, databaseId: string) {
  const [row] = await query<{ bytes: number }>(bytesStatement, [databaseId])
  return row?.bytes ?? 0
}

const bytesStatement = `
  SELECT COALESCE(sum(octet_length(text) + COALESCE(octet_length(html), 0)), 0)::int AS bytes
  FROM usher.mail_template WHERE database_id = $1::uuid`
