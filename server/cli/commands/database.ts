import type { Command } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import type { DatabaseDetails } from '@usher/contract/operator'
import { type DatabaseSettings, settingEntries } from '@usher/contract/settings'
import { nameOfDatabase } from '../../domain/database-name.js'
import { usageError } from '../../domain/problem.js'
import { databasePath } from '../io/arguments.js'
import type { Call, Cli } from '../io/cli.js'
import { addPageOptions, aligned, pageOf, printPage } from '../io/listing.js'
import { addMailOptions, givenMails, linesOfMails } from '../io/mail-settings.js'
import { givenSettings, settingOptions, shownSettings } from '../io/setting-options.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'

export function configure(database: Command, cli: Cli) {
  addCreateCommand(database, cli)
  addListCommand(database, cli)
  addShowCommand(database, cli)
  addSetCommand(database, cli)
  addDeleteCommand(database, cli)
}

function addCreateCommand(database: Command, { host, call }: Cli) {
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
    .action(async ({ workspaceSlug, databaseName: name }, { json, ...given }) => {
      const settings = givenSettings<DatabaseSettings>(given, settingEntries)
      const body = { name, settings, ...(await givenMails(given)) }
      const created = await call('createDatabase', { params: { workspaceSlug }, body })
      host.print({ json }, created, `Created database ${created.url}${shownOnce(created)}`)
    })
}

type Secrets = Record<'webhookSecret' | 'signUpHookSecret', string | null>

const shownOnce = ({ webhookSecret, signUpHookSecret }: Secrets) =>
  [
    ['webhook', webhookSecret],
    ['sign-up hook', signUpHookSecret],
  ]
    .filter(([, secret]) => secret !== null)
    .map(([name, secret]) => `\nSecret of the ${name}. It is not shown again: ${secret}`)
    .join('')

function addListCommand(database: Command, { host, call }: Cli) {
  addPageOptions(database.command('list'), 'database', databasePath)
    .description('list the databases of all workspaces')
    .action(async ({ after, ...options }) => {
      const query = { ...pageOf(options), ...(after && { after: nameOfDatabase(after) }) }
      const body = await call('listEveryDatabase', { query })
      printPage(host, options, {
        body,
        rows: body.databases,
        columns: {
          DATABASE: ({ workspace, name }) => `${workspace}/${name}`,
          ID: ({ id }) => id,
          STATE: stateOf,
        },
        empty: 'No databases yet.',
      })
    })
}

function addShowCommand(database: Command, { host, call }: Cli) {
  database
    .command('show')
    .argument('<workspace/name>', 'database', databasePath)
    .description('show a database with its settings')
    .option('--json', 'print the result as JSON')
    .action(async (path, options) => {
      const shown = await detailsOf(call, path)
      const { hashParameterSets: sets, passkeyDomain, wellKnownWebauthn } = shown
      const text = aligned([
        ['id', shown.id],
        ['url', shown.url],
        ...linesOf(shown),
        ['hash parameters', `${sets} ${sets === 1 ? 'set' : 'sets'}`],
        ['created', shown.createdAt],
      ])
      host.print(options, shown, text + servedBy(passkeyDomain, wellKnownWebauthn))
    })
}

/** Returns a database with its settings and those of its mails. */
async function detailsOf(call: Call, params: DatabasePath) {
  const database = await call('getDatabase', { params })
  return { ...database, mails: await call('getMailSettings', { params }) }
}

const linesOf = ({ values, mails }: Awaited<ReturnType<typeof detailsOf>>) => [
  ...shownSettings(values as unknown as DatabaseSettings, settingEntries),
  ...linesOfMails(mails),
]

function addSetCommand(database: Command, { host, call }: Cli) {
  const command = database
    .command('set')
    .argument('<workspace/name>', 'database', databasePath)
    .description('change settings of a database; servers apply them within 5 s')
  for (const { option } of settingOptions(settingEntries)) command.addOption(option)
  addMailOptions(command)
    .option('--force', 'change the domain of passkeys, although those of users stop working')
    .option('--new-webhook-secret', 'replace the secret that signs events, and print the new one')
    .option('--json', 'print the result as JSON')
    .action(async (params, { json, newWebhookSecret, force, ...given }) => {
      const settings = givenSettings<DatabaseSettings>(given, settingEntries)
      const mails = await givenMails(given)
      if (Object.keys(settings).length === 0 && !newWebhookSecret && !mails)
        throw usageError('at least one setting is required. See --help')
      const { webhookSecret, signUpHookSecret } = await call('changeSettings', {
        params,
        body: { settings, ...mails, newWebhookSecret, force },
      })
      const shown = { ...(await detailsOf(call, params)), webhookSecret, signUpHookSecret }
      const next = settings.signingAlgorithm
        ? `\nTo create a key with ${settings.signingAlgorithm}, run: npx @usher/server keys rotate ${nameOfDatabase(params)}`
        : ''
      host.print({ json }, shown, aligned(linesOf(shown)) + next + shownOnce(shown))
    })
}

function addDeleteCommand(database: Command, { host, call }: Cli) {
  database
    .command('delete')
    .argument('<workspace/name>', 'database', databasePath)
    .description('delete a database and all its users permanently')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action(async (params, options) => {
      const name = nameOfDatabase(params)
      if (!options.yes) {
        requireTerminal(host, `deleting ${name}`)
        await confirmDeletion(host, name, 'it and everything in it')
      }
      let users = 0
      for (let isDone = false; !isDone; ) {
        const deleted = await call('deleteDatabase', { params })
        users += deleted.users
        isDone = deleted.isDone
      }
      host.print(options, { isDone: true, users }, `Deleted database ${name}. Users deleted: ${users}.`)
    })
}

/** Returns what the domain of passkeys must serve, so that browsers use them at other domains, too. */
const servedBy = (domain: string | null, wellKnown: DatabaseDetails['wellKnownWebauthn']) =>
  wellKnown
    ? `\n\nhttps://${domain}/.well-known/webauthn must serve, as application/json:\n${JSON.stringify(wellKnown)}`
    : ''

const stateOf = ({ isBeingDeleted }: { isBeingDeleted: boolean | null }) =>
  isBeingDeleted === null ? 'node unreachable' : isBeingDeleted ? 'being deleted' : 'active'
