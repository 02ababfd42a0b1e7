import type { FieldError } from '@usher/contract'
import type { ChangeMailSettingsBody, MailSettings as MailSettingsBody } from '@usher/contract/management'
import { defaultMailSettings } from '@usher/contract/settings'
import {
  bytesOfTemplates,
  deleteMailTemplate,
  deleteMailTemplates,
  findMailSettings,
  listMailTemplates,
  lockMailSettings,
  putMailTemplate,
  updateMailSettings,
} from '../../store/queries/mail-settings.js'
import type { Queries } from '../../store/store.js'
import { requireScope } from '../api-keys/admit-api-key.js'
import { type Change, type ChangeContext, type ChangeRequest, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { errorsOf, keyOf, mailNames, type Template } from '../mail/templates.js'
import { invalidField, validationFailed } from '../problem.js'
import type { DatabaseRequest } from '../request.js'

/** Settings of the mails of a database to change. Undefined ones stay as they are. */
export type MailChanges = ChangeMailSettingsBody

/** Bytes of all templates of a database. */
const maxBytes = 2 ** 20

/** Returns the settings of the mails of a database as currently stored, and its templates. */
export async function readMailSettings(store: Queries, databaseId: string): Promise<MailSettingsBody> {
  const settings = (await findMailSettings(store, databaseId)) ?? defaultMailSettings
  return { ...settings, mailTemplates: await listMailTemplates(store, databaseId) }
}

/** Returns the settings of the mails of a database, and its templates. */
export const getMailSettings = (
  { store }: AppContext,
  { database }: DatabaseRequest,
): Promise<MailSettingsBody> => readMailSettings(store, database.id)

/**
 * Changes the settings of the mails of a database, for all mails that are sent from now on.
 *
 * @throws {Problem} `validation_failed`; `insufficient_scope`
 */
export const changeMailSettings = (
  context: ChangeContext,
  request: ChangeRequest & { body: MailChanges },
): Promise<MailSettingsBody> =>
  runChange(context, request, async (change) => {
    const { database, body } = request
    await storeMailChanges(change, body)
    return {
      result: await readMailSettings(change, database.id),
      facts: [{ type: 'database.set', settings: auditedMailChanges(body) }],
    }
  })

/** @param given.replaces whether the database keeps no template that is not given */
export async function storeMailChanges(
  change: Pick<Change, 'query' | 'actor'> & { database: Pick<Change['database'], 'id'> },
  { mailTemplates, ...fields }: MailChanges,
  { replaces = false } = {},
) {
  const { actor, database } = change
  if (actor.kind === 'backend' && (mailTemplates || fields.mailSender !== undefined))
    requireScope(actor.apiKey, 'credentials:write')
  const templates = mailTemplates?.map(checkedTemplate)
  const former = await lockMailSettings(change, database.id)
  if (actor.kind === 'backend' && fields.mailSender) requireDomain(fields.mailSender, former.mailSender)
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  await updateMailSettings(change, database.id, { ...former, ...Object.fromEntries(given) })
  if (!templates) return
  if (replaces) await deleteMailTemplates(change, database.id)
  for (const { text, html, ...key } of templates) {
    if (text === null) await deleteMailTemplate(change, database.id, key)
    else await putMailTemplate(change, database.id, { ...key, text, html })
  }
  if ((await bytesOfTemplates(change, database.id)) > maxBytes)
    throw validationFailed([
      { path: 'mailTemplates', code: 'too_long', detail: `must have at most ${maxBytes} bytes in total` },
    ])
}

/** @throws {Problem} `validation_failed`, whose errors name the template */
function checkedTemplate(
  { name: given, locale, text, html = null }: NonNullable<MailChanges['mailTemplates']>[number],
  index: number,
): Omit<Template, 'text'> & { text: string | null } {
  const path = `mailTemplates.${index}`
  const name = mailNames.find((each) => each === given)
  if (!name) throw validationFailed([invalidField(`${path}.name`, `must be one of ${mailNames.join(', ')}`)])
  const errors: FieldError[] = Object.entries({ text, html }).flatMap(([part, content]) =>
    content === null
      ? []
      : [...errorsOf(name, part as 'text', content)].map((error) =>
          invalidField(`${path}.${part}`, `${keyOf({ locale, name })} ${error}`),
        ),
  )
  if (errors.length > 0) throw validationFailed(errors)
  return { name, locale, text, html }
}

/**
 * A server that sends for several products may send from the domains of all of them. So a key of one must not send in the name of
 * another.
 *
 * @throws {Problem} `validation_failed` if the operator has not set a sender of the same domain
 */
function requireDomain(address: string, former: string | null) {
  const domainOf = (each: string) => each.replace(/^.*@/, '').toLowerCase()
  if (former !== null && domainOf(former) === domainOf(address)) return
  const detail =
    former === null
      ? 'must be set by the operator first'
      : `must be an address of ${domainOf(former)}, the domain that the operator has set`
  throw validationFailed([invalidField('mailSender', detail)])
}

/** Returns what an audit line says about changed settings. */
export const auditedMailChanges = ({ mailTemplates, ...fields }: MailChanges) => ({
  ...fields,
  ...(mailTemplates && { mailTemplates: mailTemplates.map(keyOf as (template: object) => string) }),
})
