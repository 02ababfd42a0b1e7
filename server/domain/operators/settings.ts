import {
  type ChangedSettings,
  type ChangeSettingsBody,
  confirmedSettings,
  type SettingInfo,
  type SettingList,
} from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import {
  type AnySetting,
  type DatabaseSettings,
  type SettingName,
  settingEntries,
  settingsOf,
} from '../databases/settings.js'
import { requireDatabase, setDatabase } from '../management/databases.js'
import { etagOf, requireMatch } from '../management/etag.js'
import { invalidField, validationFailed } from '../problem.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

/** Returns how a setting is typed. */
function kindOf({ choices, range, default: initial }: AnySetting): SettingInfo['kind'] {
  if (typeof initial === 'boolean') return 'switch'
  if (choices) return 'choice'
  if (range) return 'number'
  if (Array.isArray(initial)) return 'list'
  return initial !== null && typeof initial === 'object' ? 'json' : 'text'
}

const confirmed: readonly SettingName[] = confirmedSettings

function settingInfo(name: SettingName, setting: AnySetting, value: unknown): SettingInfo {
  const kind = kindOf(setting)
  const [min = null, max = null] = kind === 'number' ? (setting.range ?? []) : []
  return {
    name,
    label: labelOf(name, setting),
    description: setting.description,
    kind,
    choices: kind === 'choice' ? [...(setting.choices ?? [])] : null,
    min,
    max,
    value,
    default: setting.default,
    confirms: confirmed.includes(name),
  }
}

const listOf = (values: DatabaseSettings): SettingList => ({
  settings: settingEntries.map(([name, setting]) => settingInfo(name, setting, values[name])),
  values,
})

/** Returns the name of a setting in words, such as `session idle (seconds)`. */
function labelOf(name: string, { placeholder }: AnySetting) {
  const [, unit] = /^<(seconds|days)>$/.exec(placeholder) ?? []
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace(/ url$/, ' URL').replace(/^sign up/, 'sign-up') + (unit ? ` (${unit})` : '')
}

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
  const changes = readChanges(body.settings)
  const row = await setDatabase(context, request, {
    ...changes,
    require: (values) => requireMatch(headers['if-match'], etagOf({ values }, ['values'])),
  })
  return { ...listOf(settingsOf(row)), webhookSecret: row.webhookSecret ?? null }
}

/** Returns the values of settings. @throws {Problem} `validation_failed` */
function readChanges(given: Readonly<Record<string, unknown>>): Partial<DatabaseSettings> {
  const known = new Map<string, AnySetting>(settingEntries)
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
