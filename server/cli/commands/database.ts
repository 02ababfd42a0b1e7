import type { Command } from '@commander-js/extra-typings'
import { type DatabaseSettings, settingEntries } from '@usher/contract/settings'
import { nameOfDatabase } from '../../domain/database-name.js'
import { databaseUrl, isBeingDeleted } from '../../domain/databases/find-database.js'
import { relatedOrigins, relyingPartyOf } from '../../domain/databases/relying-party.js'
import { settingsOf } from '../../domain/databases/settings.js'
import { createDatabase, requireDatabase, setDatabase } from '../../domain/management/databases.js'
import { deleteDatabase } from '../../domain/management/delete-database.js'
import { listDatabases } from '../../domain/management/list-databases.js'
import { readMailSettings } from '../../domain/management/mail-settings.js'
import { usageError } from '../../domain/problem.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, aligned, printPage } from '../io/listing.js'
import { addMailOptions, givenMail, linesOfMails, shownMails } from '../io/mail-settings.js'
import { givenSettings, settingOptions, shownSettings } from '../io/setting-options.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'
import { withDatabase, withStore } from '../io/with-store.js'

export function configure(database: Command, host: Host) {
  addCreateCommand(database, host)
  addListCommand(database, host)
  addShowCommand(database, host)
  addSetCommand(database, host)
  addDeleteCommand(database, host)
}

function addCreateCommand(database: Command, host: Host) {
  const command = database
    .command('create')
    .argument('<workspace/name>', 'workspace and name of the new database', databasePath)
    .description('create a database in a workspace')
  for (const { name, setting, option } of settingOptions(settingEntries)) {
    if (name === 'passwordPolicy') option.default({ value: setting.default }, JSON.stringify(setting.default))
    command.addOption(option)
  }
  addMailOptions(command)
    .option('--json', 'print the result as JSON')
    .action((path, { json, ...given }) =>
      withStore(host, async (store, config, log) => {
        const { id, passwordPolicy, webhookSecret } = await createDatabase({ store, now: new Date() }, path, {
          ...givenSettings<DatabaseSettings>(given, settingEntries),
          ...(await givenMail(host, given)),
        })
        audit(log, 'database.created', { databaseId: id })
        const url = databaseUrl(config.baseUrl, path)
        host.print(
          { json },
          { id, ...path, passwordPolicy, url, ...(webhookSecret && { webhookSecret }) },
          `Created database ${url}${webhookSecret ? shownOnce(webhookSecret) : ''}`,
        )
      }),
    )
}

const shownOnce = (secret: string) => `\nSecret of the webhook. It is not shown again: ${secret}`

function addListCommand(database: Command, host: Host) {
  addPageOptions(database.command('list'), 'database', databasePath)
    .description('list the databases of all workspaces')
    .action((options) =>
      withStore(host, async (store) => {
        const databases = (await listDatabases(store, options, host.remote?.workspaceIds)).map((row) => ({
          id: row.id,
          workspaceSlug: row.workspace.slug,
          databaseName: row.name,
          ...settingsOf(row),
          createdAt: row.createdAt,
          beingDeleted: row.signingKeys ? isBeingDeleted({ signingKeys: row.signingKeys }) : null,
        }))
        printPage(host, options, {
          rows: databases,
          columns: { DATABASE: nameOfDatabase, ID: ({ id }) => id, STATE: stateOf },
          key: nameOfDatabase,
          empty: 'No databases yet.',
        })
      }),
    )
}

function addShowCommand(database: Command, host: Host) {
  database
    .command('show')
    .argument('<workspace/name>', 'database', databasePath)
    .description('show a database with its settings')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(host, async (store, config) => {
        const row = await requireDatabase(store, path)
        const { id, createdAt } = row
        const settings = settingsOf(row)
        const mails = await readMailSettings(store, id)
        const url = databaseUrl(config.baseUrl, path)
        const hashParameterSets = row.dummyHashes.length
        const rp = relyingPartyOf(row)
        const wellKnown = rp && relatedOrigins(rp)
        host.print(
          options,
          {
            ...{ id, ...path, url, ...settings, ...shownMails(mails), hashParameterSets },
            ...(wellKnown && { wellKnownWebauthn: wellKnown }),
            createdAt,
          },
          aligned([
            ['id', id],
            ['url', url],
            ...shownSettings(settings, settingEntries),
            ...linesOfMails(mails),
            ['hash parameters', `${hashParameterSets} ${hashParameterSets === 1 ? 'set' : 'sets'}`],
            ['created', createdAt.toISOString()],
          ]) + servedBy(rp?.domain, wellKnown),
        )
      }),
    )
}

function addSetCommand(database: Command, host: Host) {
  const command = database
    .command('set')
    .argument('<workspace/name>', 'database', databasePath)
    .description('change settings of a database; servers apply them within 5 s')
  for (const { option } of settingOptions(settingEntries)) command.addOption(option)
  addMailOptions(command)
    .option('--force', 'change the domain of passkeys, although those of users stop working')
    .option('--new-webhook-secret', 'replace the secret that signs events, and print the new one')
    .option('--json', 'print the result as JSON')
    .action(async (path, { json, newWebhookSecret, force, ...given }) => {
      const changes = {
        ...givenSettings<DatabaseSettings>(given, settingEntries),
        ...(newWebhookSecret && { newWebhookSecret }),
        ...(await givenMail(host, given)),
      }
      if (Object.keys(changes).length === 0) throw usageError('at least one setting is required. See --help')
      return withDatabase(host, path, async ({ context, request }) => {
        const row = await setDatabase(context, request, { ...changes, ...(force && { force }) })
        const { webhookSecret: secret } = row
        const values = settingsOf(row)
        const mails = await readMailSettings(context.store, row.id)
        const next = changes.signingAlgorithm
          ? `\nTo create a key with ${row.signingAlgorithm}, run: npx @usher/server keys rotate ${nameOfDatabase(path)}`
          : ''
        const once = secret ? shownOnce(secret) : ''
        const shown = {
          id: row.id,
          ...path,
          ...values,
          ...shownMails(mails),
          ...(secret && { webhookSecret: secret }),
        }
        host.print(
          { json },
          shown,
          aligned([...shownSettings(values, settingEntries), ...linesOfMails(mails)]) + next + once,
        )
      })
    })
}

function addDeleteCommand(database: Command, host: Host) {
  database
    .command('delete')
    .argument('<workspace/name>', 'database', databasePath)
    .description('delete a database and all its users permanently')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action(async (path, options) => {
      const name = nameOfDatabase(path)
      if (!options.yes) {
        requireTerminal(host, `deleting ${name}`)
        await confirmDeletion(host, name, 'it and everything in it')
      }
      await withStore(host, async (store, _config, log) => {
        const { id, users } = await deleteDatabase(store, path)
        audit(log, 'database.deleted', { databaseId: id })
        host.print(options, { id, ...path, users }, `Deleted database ${name}. Users deleted: ${users}.`)
      })
    })
}

/** Tells what the domain of passkeys must serve, so that browsers use them at other domains, too. */
const servedBy = (domain: string | undefined, wellKnown: object | undefined) =>
  wellKnown
    ? `\n\nhttps://${domain}/.well-known/webauthn must serve, as application/json:\n${JSON.stringify(wellKnown)}`
    : ''

const stateOf = ({ beingDeleted }: { beingDeleted: boolean | null }) =>
  beingDeleted === null ? 'node unreachable' : beingDeleted ? 'being deleted' : 'active'
