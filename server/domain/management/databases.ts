import type { DatabasePath } from '@usher/contract'
import { type DatabaseSettings, defaultSettings, readClaimSource } from '@usher/contract/settings'
import { v7 as uuidv7 } from 'uuid'
import { findLockedSettings, type SealedField } from '../../store/queries/databases.js'
import { insertSigningKey, lockSigningKeys } from '../../store/queries/keys.js'
import { insertDatabase, updateDatabase } from '../../store/queries/management/databases.js'
import { findWorkspace } from '../../store/queries/management/workspaces.js'
import { findUsedRole } from '../../store/queries/members.js'
import { keptEvents, replaceLineage } from '../../store/queries/numbered-lists.js'
import { deleteWaitingEvents, findLastWaitingEvent } from '../../store/queries/waiting-messages.js'
import type { Store } from '../../store/store.js'
import { type Change, type ChangeContext, type ChangeRequest, type Fact, runChange } from '../change.js'
import { nameOfDatabase } from '../database-name.js'
import {
  type DatabaseRow,
  findDatabaseRow,
  isBeingDeleted,
  type RuleDatabase,
  refuseOperators,
  ruleDatabase,
} from '../databases/find-database.js'
import { requireSameDomain } from '../databases/require-same-domain.js'
import { settingsOf } from '../databases/settings.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { sealRequestSecret } from '../keys/master-key.js'
import { generateSigningKey } from '../keys/signing-keys.js'
import { newLineage } from '../numbered-lists/cursor.js'
import { invalidField, Problem, validationFailed } from '../problem.js'
import { newWebhookSecret } from '../signed-request.js'
import { sealingKeyOfNewDatabase } from './keys/require-master-key.js'
import { auditedMailChanges, type MailChanges, storeMailChanges } from './mail-settings.js'
import { databaseNotFound, requirePathName, workspaceNotFound } from './names.js'

/** Returns a database. @throws {Problem} if it does not exist or is being deleted */
export async function requireDatabase(store: Store, path: DatabasePath): Promise<DatabaseRow> {
  const row = await findDatabaseRow(store, path)
  if (!row) throw await databaseNotFound(store, path)
  if (isBeingDeleted(row)) {
    const name = nameOfDatabase(path)
    throw new Problem('database_being_deleted', { detail: `Database ${name} is being deleted.`, about: name })
  }
  return row
}

/** Returns a database as rules get it. @throws {Problem} if it does not exist or is being deleted */
export const findDatabase = async (store: Store, path: DatabasePath): Promise<RuleDatabase> =>
  ruleDatabase(await requireDatabase(store, path), path)

/**
 * Creates a database.
 *
 * @returns it, and the secrets of its webhook and hook if it has these
 * @throws {Problem} if the name is invalid or taken, the workspace does not exist, or a template is invalid
 */
export async function createDatabase(
  { store, now }: { store: Store; now: Date },
  path: DatabasePath,
  { mail, isOperators, ...settings }: Partial<DatabaseSettings> & { mail?: MailChanges; isOperators?: true },
) {
  const { workspaceSlug, databaseName } = path
  requirePathName({ path: 'name', what: 'database name' }, databaseName)
  requireOneMeaning(settings)
  const workspace = await findWorkspace(store, workspaceSlug)
  if (!workspace) throw await workspaceNotFound(store, workspaceSlug, workspaceSlug)
  const id = uuidv7()
  const database = {
    id,
    workspaceId: workspace.id,
    name: databaseName,
    ...defaultSettings,
    ...settings,
    ...(isOperators && { isOperators }),
    secondFactorRequiredAt: settings.secondFactor === 'required' ? now : null,
    createdAt: now,
  }
  const webhookSecret = database.webhookUrl === null ? undefined : newWebhookSecret()
  const signUpHookSecret = database.signUpHookUrl === null ? undefined : newWebhookSecret()
  await store.transaction(id, async (query) => {
    if (!(await insertDatabase({ query }, database)))
      throw new Problem('database_exists', { detail: `Database ${nameOfDatabase(path)} already exists.` })
    const masterKey = await sealingKeyOfNewDatabase({ query }, store)
    await insertSigningKey({ query }, generateSigningKey(database, masterKey, { now }))
    const sealed = sealedSecrets(masterKey, id, { webhookSecret, signUpHookSecret })
    if (Object.keys(sealed).length > 0) await updateDatabase({ query }, { id }, sealed)
    if (mail) await storeMailChanges({ query, actor: { kind: 'operator' }, database }, mail)
  })
  return { ...database, webhookSecret, signUpHookSecret }
}

/** Settings to change. */
type SettingChanges = Partial<DatabaseSettings> & {
  /** Replaces the secret of the webhook. Its first URL always gets one. */
  newWebhookSecret?: true
  /** Changes the domain of passkeys, although those that users have stop working. */
  force?: true
  /** Settings of the mails. Templates replace all that the database has. */
  mail?: MailChanges
  /** Throws if the settings must not change. They are locked. */
  require?: (settings: DatabaseSettings) => void
}

/** Settings of the operators' database that do not change. */
const fixedForOperators = [
  'signUp',
  'tenantOperations',
  'accountOperations',
  'secondFactor',
  'signUpHookUrl',
  'webhookUrl',
  'eventsKept',
] as const

/**
 * Changes the given settings. Servers apply them within 5 s. If the webhook is removed, deletes the events that wait
 * for it, because a later webhook must not get them. The first URL also deletes them, in case the removal was
 * interrupted. Each URL of the sign-up hook gets a new secret. If events are kept from now on, expires earlier cursors, because the events in between are missing.
 *
 * @returns the database, and the secrets of its webhook and hook if they are new
 * @throws {Problem} if it does not exist, if a removed role is in use, or if there is no webhook that could get a
 * secret
 */
export async function setDatabase(
  context: ChangeContext & { store: Store },
  request: ChangeRequest,
  changes: SettingChanges,
): Promise<DatabaseRow & { webhookSecret?: string | null; signUpHookSecret?: string }> {
  const { store } = context
  const { newWebhookSecret: isNew, mail, force, require, ...settings } = changes
  const former = await requireDatabase(store, request.database)
  for (const name of fixedForOperators)
    if (settings[name] !== undefined) refuseOperators(former, `cannot change ${name}`)
  requireOneMeaning(settings, former)
  const { id, eventsKept, webhookUrl: formerUrl } = former
  const { webhookUrl = formerUrl } = settings
  const isOfWebhook = isNew || settings.webhookUrl !== undefined
  const webhookSecret = isOfWebhook ? changedSecret({ formerUrl, webhookUrl, isNew }) : undefined
  const signUpHookSecret = settings.signUpHookUrl ? newWebhookSecret() : undefined
  // First, because this command does not do it again once the setting is stored.
  if (eventsKept === 0 && settings.eventsKept)
    await replaceLineage(store, { list: keptEvents, databaseId: id }, newLineage())
  const stored = await runChange<StoredSettings>(context, request, async (change) => {
    // Two changes that are made at the same time do not both see the settings before.
    if (require) await lockSigningKeys(change, id)
    require?.(settingsOf((await findDatabaseRow(change, request.database)) ?? former))
    if (settings.roles) await requireUnused(change, settings.roles)
    if (!force) await requireSameDomain(change, settings)
    const sealed =
      webhookSecret || signUpHookSecret
        ? sealedSecrets(await lockSealingKey(change, store, id), id, { webhookSecret, signUpHookSecret })
        : {}
    const where = { id, webhookUrl: isOfWebhook ? formerUrl : undefined }
    const values = {
      ...settings,
      ...requiredSince(former, settings, change.now),
      ...sealed,
      ...(webhookSecret === null && { sealedWebhookSecret: null }),
      ...(settings.signUpHookUrl === null && { sealedSignUpHookSecret: null }),
    }
    const hasValues = Object.keys(values).length > 0
    if (hasValues && !(await updateDatabase(change, where, values))) return { result: undefined, facts: [] }
    if (mail) await storeMailChanges(change, mail, { replaces: true })
    const facts: Fact[] = [{ type: 'database.set', settings: auditedSettings(changes) }]
    if (!isOfWebhook || (formerUrl && webhookUrl)) return { result: {}, facts }
    // Those that are stored later may be events of a new webhook.
    return { result: { lastEventId: await findLastWaitingEvent(change, id) }, facts }
  })
  // Another command has changed the webhook, which may have got a secret or lost it.
  if (isOfWebhook && !stored) return setDatabase(context, request, changes)
  if (stored?.lastEventId) await deleteWaitingEvents(store, id, stored.lastEventId)
  const row = await requireDatabase(store, request.database)
  return {
    ...row,
    ...(webhookSecret !== undefined && { webhookSecret }),
    ...(signUpHookSecret && { signUpHookSecret }),
  }
}

/** Returns the columns of new secrets. */
function sealedSecrets(
  masterKey: Buffer,
  id: string,
  secrets: { webhookSecret: string | null | undefined; signUpHookSecret: string | undefined },
) {
  const { webhookSecret, signUpHookSecret } = secrets
  const sealed = (field: SealedField, secret: string) => sealRequestSecret(masterKey, secret, { id, field })
  return {
    ...(webhookSecret && { sealedWebhookSecret: sealed('sealedWebhookSecret', webhookSecret) }),
    ...(signUpHookSecret && { sealedSignUpHookSecret: sealed('sealedSignUpHookSecret', signUpHookSecret) }),
  }
}

/** @throws {Problem} `validation_failed` if a claim would have a fixed value and a source */
function requireOneMeaning(
  changes: Partial<DatabaseSettings>,
  former: Pick<DatabaseRow, 'claims' | 'claimSources'> = defaultSettings,
) {
  const { claims = former.claims, claimSources = former.claimSources } = changes
  if (!changes.claims && !changes.claimSources) return
  const both = claimSources
    .map((text) => readClaimSource(text)?.claim ?? '')
    .find((claim) => Object.hasOwn(Object(claims), claim))
  if (both === undefined) return
  const [field, other] = changes.claimSources ? ['claimSources', 'claims'] : ['claims', 'claimSources']
  throw validationFailed([
    invalidField(`settings.${field}`, `must not contain the claim ${both}, which ${other} has`),
  ])
}

/** Returns when the second factor became required, if that changes. */
const requiredSince = (
  former: Pick<DatabaseSettings, 'secondFactor'>,
  { secondFactor }: Partial<DatabaseSettings>,
  now: Date,
) =>
  secondFactor === undefined || secondFactor === former.secondFactor
    ? {}
    : { secondFactorRequiredAt: secondFactor === 'required' ? now : null }

/** The last event that waits for a webhook that is removed. Undefined if the settings were not stored. */
type StoredSettings = { lastEventId?: string | undefined } | undefined

/** The path of a URL may be secret. */
const auditedSettings = ({
  webhookUrl,
  signUpHookUrl,
  mail,
  force: _,
  require: _require,
  ...changes
}: SettingChanges) => ({
  ...changes,
  ...(mail && auditedMailChanges(mail)),
  ...(webhookUrl !== undefined && { webhookUrl: webhookUrl && new URL(webhookUrl).origin }),
  ...(signUpHookUrl !== undefined && { signUpHookUrl: signUpHookUrl && new URL(signUpHookUrl).origin }),
})

/**
 * Returns the secret of a changed webhook: a new one for the first URL, and if the operator requests one. Null if the
 * webhook is removed, undefined if the secret stays.
 *
 * @throws {Problem} if a webhook without URL would get a secret
 */
function changedSecret({
  formerUrl,
  webhookUrl,
  isNew,
}: {
  formerUrl: string | null
  webhookUrl: string | null
  isNew: true | undefined
}) {
  if (webhookUrl === null) {
    if (isNew) throw new Problem('webhook_missing', { detail: 'The database has no webhook.', about: '' })
    return null
  }
  return formerUrl === null || isNew ? newWebhookSecret() : undefined
}

/**
 * Checks that roles can be removed. Until the transaction ends, no member gets one: see `findLockedSettings`.
 *
 * @throws {Problem} if a member or an invitation has one
 */
export async function requireUnused(change: Change, kept: readonly string[]) {
  const { id } = change.database
  await lockSigningKeys(change, id)
  // Read under the lock, because another command may have added a role.
  const { roles = [] } = (await findLockedSettings(change, id)) ?? {}
  const removed = roles.filter((role) => !kept.includes(role))
  if (removed.length === 0) return
  const used = await findUsedRole(change, id, removed)
  if (used)
    throw new Problem('role_in_use', {
      detail: `Members or invitations have the role ${used}. Give them another role first.`,
    })
}
