import type { ChangedSettings, ChangeSettingsBody, SettingList } from '@usher/contract/operator'
import {
  type DatabaseSettings,
  type Setting,
  type SettingName,
  settingEntries,
  settingGroups,
  settingGuides,
} from '@usher/contract/settings'
import type { AppContext } from '../context.js'
import { settingsOf } from '../databases/settings.js'
import { requireDatabase, setDatabase } from '../management/databases.js'
import { etagOf, requireMatch } from '../management/etag.js'
import { invalidField, validationFailed } from '../problem.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

const listOf = (values: DatabaseSettings): SettingList => ({
  settings: Object.entries(settingGroups).flatMap(([group, settings]) =>
    Object.entries<Setting>(settings).map(([name, setting]) => ({
      name,
      group,
      guide: settingGuides[group as keyof typeof settingGuides],
      label: setting.title,
      unit: setting.unit ?? null,
      description: setting.text,
      kind: setting.kind,
      choices: setting.kind === 'choice' ? [...(setting.choices ?? [])] : null,
      min: setting.range?.[0] ?? null,
      max: setting.range?.[1] ?? null,
      empty: setting.empty ?? null,
      value: values[name as SettingName],
      default: setting.default,
      confirms: setting.confirms ?? false,
    })),
  ),
  values,
})

/** Returns the settings of a database. */
export async function getSettings(
  { store }: AppContext,
  { database }: OperatorDatabaseRequest,
): Promise<SettingList> {
  // Not the database of the request, which may be older than the last change.
  return listOf(settingsOf(await requireDatabase(store, database)))
}

type ChangeRequest = OperatorDatabaseRequest<ChangeSettingsBody> & {
  headers: { 'if-match'?: string | undefined }
}

/**
 * Changes settings of a database.
 *
 * @throws {Problem} `validation_failed`; `precondition_failed`
 */
export async function changeSettings(context: AppContext, request: ChangeRequest): Promise<ChangedSettings> {
  const { body, headers } = request
  const { settings, mails: mail, force, newWebhookSecret } = body
  const changes = readSettings(settings)
  const row = await setDatabase(context, request, {
    ...changes,
    ...(mail && { mail }),
    ...(force && { force }),
    ...(newWebhookSecret && { newWebhookSecret }),
    require: (values) => requireMatch(headers['if-match'], etagOf({ values }, ['values'])),
  })
  const { webhookSecret = null, signUpHookSecret = null } = row
  return { ...listOf(settingsOf(row)), webhookSecret, signUpHookSecret }
}

/** Returns the values of settings. @throws {Problem} `validation_failed` */
export function readSettings(given: Readonly<Record<string, unknown>>): Partial<DatabaseSettings> {
  const known = new Map<string, Setting>(settingEntries)
  const read = Object.entries(given).map(([name, value]) => {
    const path = `settings.${name}`
    const setting = known.get(name)
    if (!setting) return { errors: [invalidField(path, 'is not a setting')] }
    const { data, error } = setting.schema.safeParse(value)
    return error
      ? { errors: [invalidField(path, error.issues[0]?.message ?? 'is not allowed')] }
      : { values: [[name, data] as const] }
  })
  const errors = read.flatMap((each) => each.errors ?? [])
  if (errors.length > 0) throw validationFailed(errors)
  return Object.fromEntries(read.flatMap((each) => each.values ?? []))
}
