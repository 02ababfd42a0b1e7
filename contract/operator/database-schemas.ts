import { z } from 'zod'
import { PathName } from '../database-path.js'
import { failsWith } from '../field-errors.js'
import { body, strict } from '../management/fields.js'
import { ChangeMailSettingsBody } from '../management/mail-settings.js'
import { page } from '../page.js'
import { component, field } from '../registry.js'
import { OperatorRole, timeOf } from './fields.js'

const slug = () => field('Slug of the workspace.', z.string(), { examples: ['acme'] })

/** A workspace that the operator may see. */
export const WorkspaceInfo = component(
  { id: 'WorkspaceInfo', description: 'A workspace that the operator may see.' },
  z.object({
    id: field('ID of the workspace.', z.uuid()),
    slug: slug(),
    databases: field('Number of its databases.', z.int(), { format: 'int32' }),
    role: OperatorRole,
    createdAt: timeOf('When it was created.'),
  }),
)
export type WorkspaceInfo = z.infer<typeof WorkspaceInfo>

const nameLimit = (maximum: number) =>
  field(
    `Maximum number of items in a page, 1 to ${maximum}. Default: 50.`,
    z.coerce.number().int().min(1).max(maximum).optional(),
    { type: 'integer', format: 'int32', minimum: 1, maximum },
  )
const afterName = field('`next` of the previous page.', z.string().max(63).optional())
const prefix = field('Only names that start with this text.', z.string().max(63).optional())
const nextName = () =>
  field('The `after` of the next page; null if this is the last one.', z.string().nullable())

/** Query of a list of names. */
export const NamesQuery = strict({ prefix, limit: nameLimit(200), after: afterName })
export type NamesQuery = z.infer<typeof NamesQuery>

/** Query of the list of workspaces. */
export const WorkspacesQuery = strict({ prefix, limit: nameLimit(1_000), after: afterName })

export const WorkspaceList = component(
  { id: 'WorkspaceList', description: 'A page of workspaces.' },
  z.object({ workspaces: field('The workspaces, by slug.', z.array(WorkspaceInfo)), next: nextName() }),
)
export type WorkspaceList = z.infer<typeof WorkspaceList>

/** A day of a database. */
export const DayStatistics = component(
  { id: 'DayStatistics', description: 'What happened on a day (UTC).' },
  z.object({
    day: field('The day.', z.iso.date(), { examples: ['2026-11-27'] }),
    signUps: field('New users.', z.int(), { format: 'int64' }),
    logins: field('Logins.', z.int(), { format: 'int64' }),
    failures: field('Logins with a wrong password, code or passkey.', z.int(), { format: 'int64' }),
    throttled: field('Logins that were refused because of earlier failures.', z.int(), { format: 'int64' }),
    mails: field('Mails that were sent.', z.int(), { format: 'int64' }),
    mailsFailed: field('Attempts to send a mail that have failed.', z.int(), { format: 'int64' }),
  }),
)
export type DayStatistics = z.infer<typeof DayStatistics>

export const StatisticsQuery = strict({
  days: field('Number of days, 1 to 90. Default: 30.', z.coerce.number().int().min(1).max(90).optional(), {
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 90,
  }),
})
export type StatisticsQuery = z.infer<typeof StatisticsQuery>

const userCount =
  'Number of users. More than 100 are counted twice a day, and are 101 before they were counted first.'

export const Statistics = component(
  {
    id: 'Statistics',
    description: 'The last days of a database, counted without its requests paying for it.',
  },
  z.object({
    days: field('Each day, the oldest first. A day without a row has zeros.', z.array(DayStatistics)),
    users: field('Number of users. More than 5,000 are counted twice a day.', z.int(), { format: 'int64' }),
    hasMore: field('Whether there are more users, which were not counted yet.', z.boolean()),
    countedAt: field(
      'When more than 5,000 users were counted. Null if there are fewer, or if they were not counted yet.',
      z.iso.datetime().nullable(),
    ),
  }),
)
export type Statistics = z.infer<typeof Statistics>

const shownOnce = (description: string) => field(description, z.string().nullable())

/** A database in a list. */
export const DatabaseInfo = component(
  { id: 'DatabaseInfo', description: 'A database of a workspace.' },
  z.object({
    name: field('Name of the database.', z.string(), { examples: ['app'] }),
    appUrl: field('The app to which the links in mails lead, or null.', z.string().nullable()),
    users: field(userCount, z.int(), { format: 'int64' }),
    logins: field('Logins of the last 7 days (UTC), of which today is one.', z.int(), { format: 'int64' }),
    isBeingDeleted: field('Whether its deletion has begun.', z.boolean()),
    createdAt: timeOf('When it was created.'),
  }),
)
export type DatabaseInfo = z.infer<typeof DatabaseInfo>

/** A new database. */
export const CreatedDatabase = component(
  { id: 'CreatedDatabase', description: 'A new database.' },
  z.object({
    ...DatabaseInfo.shape,
    id: field('ID of the database.', z.uuid()),
    url: field('Its URL, which is also the `iss` of its tokens.', z.string()),
    webhookSecret: shownOnce('The secret of its webhook, or null. Nothing shows it again.'),
    signUpHookSecret: shownOnce('The secret of its sign-up hook, or null. Nothing shows it again.'),
  }),
)
export type CreatedDatabase = z.infer<typeof CreatedDatabase>

export const DatabaseList = component(
  { id: 'DatabaseList', description: 'A page of databases.' },
  z.object({ databases: field('The databases, by name.', z.array(DatabaseInfo)), next: nextName() }),
)
export type DatabaseList = z.infer<typeof DatabaseList>

/** A database in the list of all workspaces. */
const EveryDatabase = component(
  { id: 'EveryDatabase', description: 'A database of any workspace.' },
  z.object({
    id: field('ID of the database.', z.uuid()),
    workspace: slug(),
    name: field('Name of the database.', z.string(), { examples: ['app'] }),
    isBeingDeleted: field(
      'Whether its deletion has begun. Null: the node of the store that has it cannot be reached.',
      z.boolean().nullable(),
    ),
    createdAt: timeOf('When it was created.'),
  }),
)

/** Query of the list of all databases. */
export const EveryDatabaseQuery = strict({
  limit: page.limit,
  after: field(
    '`next` of the previous page: the path of its last database, such as `acme/app`.',
    z
      .string()
      .regex(/^[^/]+\/[^/]+$/, failsWith('invalid_type', 'must be WORKSPACE/NAME'))
      .max(127)
      .optional(),
  ),
})
export type EveryDatabaseQuery = z.infer<typeof EveryDatabaseQuery>

export const EveryDatabaseList = component(
  { id: 'EveryDatabaseList', description: 'A page of databases.' },
  z.object({ databases: field('The databases, by path.', z.array(EveryDatabase)), next: nextName() }),
)
export type EveryDatabaseList = z.infer<typeof EveryDatabaseList>

/** A database with its settings. */
export const DatabaseDetails = component(
  { id: 'DatabaseDetails', description: 'A database with its settings.' },
  z.object({
    id: field('ID of the database.', z.uuid()),
    url: field('Its URL, which is also the `iss` of its tokens.', z.string()),
    values: field('The values of its settings by name.', z.record(z.string(), z.unknown())),
    hashParameterSets: field('Number of the sets of hash parameters that its users have.', z.int(), {
      format: 'int32',
    }),
    passkeyDomain: field('The domain of its passkeys, or null.', z.string().nullable()),
    wellKnownWebauthn: field(
      'What `/.well-known/webauthn` of that domain must serve, so that browsers use the passkeys at other domains, too. Null: nothing.',
      z.object({ origins: z.array(z.string()) }).nullable(),
    ),
    createdAt: timeOf('When it was created.'),
  }),
)
export type DatabaseDetails = z.infer<typeof DatabaseDetails>

/** A setting with its value. */
export const SettingInfo = component(
  { id: 'SettingInfo', description: 'A setting of a database.' },
  z.object({
    name: field('Name of the setting.', z.string(), { examples: ['sessionIdle'] }),
    group: field('What it belongs to. Settings of a group follow each other.', z.string(), {
      examples: ['Tokens and sessions'],
    }),
    guide: field('The document about its group, in the repository of Usher.', z.string(), {
      examples: ['docs/guides/sessions.md'],
    }),
    label: field('What to call it.', z.string(), { examples: ['session idle'] }),
    unit: field('The unit of a number, or null.', z.string().nullable(), { examples: ['seconds'] }),
    description: field('What it decides.', z.string()),
    kind: field('How its value is typed.', z.enum(['switch', 'choice', 'number', 'text', 'list', 'json']), {
      isOpen: true,
    }),
    choices: field('The allowed values of a choice, or null.', z.array(z.string()).nullable()),
    min: field('The smallest number, or null.', z.number().nullable()),
    max: field('The largest number, or null.', z.number().nullable()),
    empty: field('What null, 0 or an empty list means, or null.', z.string().nullable(), {
      examples: ['no limit'],
    }),
    value: field('The value.', z.unknown()),
    default: field('The value of a new database.', z.unknown()),
    confirms: field('Whether a change needs a confirmation.', z.boolean()),
  }),
)
export type SettingInfo = z.infer<typeof SettingInfo>

export const SettingList = component(
  { id: 'SettingList', description: 'The settings of a database.' },
  z.object({
    settings: field('All settings, in the order of `usher database show`.', z.array(SettingInfo)),
    values: field('Their values by name, of which the ETag is.', z.record(z.string(), z.unknown())),
  }),
)
export type SettingList = z.infer<typeof SettingList>

export const ChangedSettings = component(
  { id: 'ChangedSettings', description: 'The settings of a database after a change.' },
  z.object({
    ...SettingList.shape,
    webhookSecret: shownOnce(
      'The secret of the webhook if the change has created one, or null. Nothing shows it again.',
    ),
    signUpHookSecret: shownOnce(
      'The secret of the sign-up hook if the change has created one, or null. Nothing shows it again.',
    ),
  }),
)
export type ChangedSettings = z.infer<typeof ChangedSettings>

const mails = (description: string) =>
  field(
    `${description} Only the machine of the server may send it.`,
    ChangeMailSettingsBody.clone(undefined, { parent: true }).optional(),
  )

export const ChangeSettingsBody = body(
  {
    id: 'ChangeSettingsBody',
    description: 'The settings to change.',
    example: { settings: { signUp: false } },
  },
  {
    settings: field('Values by name. Others do not change.', z.record(z.string(), z.unknown())),
    mails: mails('Settings of the mails to change. Its templates replace all that the database has.'),
    force: field(
      'Whether to change the domain of passkeys, although those that users have stop working.',
      z.boolean().optional(),
    ),
    newWebhookSecret: field('Whether to replace the secret of the webhook.', z.boolean().optional()),
  },
)
export type ChangeSettingsBody = z.infer<typeof ChangeSettingsBody>

export const pathName = (description: string, example: string) =>
  field(description, PathName.clone(undefined, { parent: true }), { examples: [example] })

export const CreateWorkspaceBody = body(
  { id: 'CreateWorkspaceBody', description: 'A new workspace.', example: { slug: 'acme' } },
  { slug: pathName('Slug of the workspace.', 'acme') },
)
export type CreateWorkspaceBody = z.infer<typeof CreateWorkspaceBody>

export const CreateDatabaseBody = body(
  { id: 'CreateDatabaseBody', description: 'A new database.', example: { name: 'app' } },
  {
    name: pathName('Name of the database.', 'app'),
    settings: field(
      'Values of settings by name. Others have their defaults.',
      z.record(z.string(), z.unknown()).optional(),
    ),
    mails: mails('Settings of its mails.'),
  },
)
export type CreateDatabaseBody = z.infer<typeof CreateDatabaseBody>
