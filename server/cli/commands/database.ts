import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import { databaseUrl, isBeingDeleted } from '../../domain/databases/find-database.js'
import {
  createDatabase,
  listDatabases,
  requireDatabase,
  setDatabase,
} from '../../domain/management/databases/databases.js'
import { deleteDatabase } from '../../domain/management/databases/delete-database.js'
import { parseFixedClaims } from '../../domain/management/databases/fixed-claims.js'
import { pruneHashParameters } from '../../domain/management/databases/prune-hash-parameters.js'
import { parseAppUrl, parseWebhookUrl } from '../../domain/management/databases/urls.js'
import { webhookSettings } from '../../domain/management/databases/webhook.js'
import { UsageError } from '../../domain/management/operator-error.js'
import { currentDummyHash } from '../../domain/passwords/hasher.js'
import { PasswordPolicy, SigningAlgorithm } from '../../store/generated/enums.js'
import type { DatabaseFields } from '../../store/queries/databases.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, wholeNumber } from '../io/arguments.js'
import { addPageOptions, aligned, printPage } from '../io/listing.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'
import { print, withStore } from '../io/with-store.js'

export function configure(database: Command) {
  database
    .command('create')
    .argument('<workspace/name>', 'workspace and name of the new database', databasePath)
    .description('create a database in a workspace')
    .addOption(passwordPolicy().default('standard'))
    .addOption(accountOperations())
    .addOption(requireVerifiedEmail())
    .addOption(verifyEmailWithToken())
    .addOption(sessionIdle())
    .addOption(sessionMax())
    .addOption(sessionsPerUser())
    .option('--json', 'print the result as JSON')
    .action((path, { json, ...settings }) =>
      withStore(async (store, config, log) => {
        const { id, passwordPolicy } = await createDatabase(store, path, settings, new Date())
        audit(log, 'database.created', { databaseId: id })
        const url = databaseUrl(config.baseUrl, path)
        print({ json }, { id, ...path, passwordPolicy, url }, `Created database ${url}`)
      }),
    )
  addPageOptions(database.command('list'), 'database', databasePath)
    .description('list the databases of all workspaces')
    .action((options) =>
      withStore(async (store) => {
        const databases = (await listDatabases(store, options)).map((row) => ({
          id: row.id,
          workspaceSlug: row.workspace.slug,
          databaseName: row.name,
          ...shownSettings(row),
          createdAt: row.createdAt,
          beingDeleted: row.signingKeys ? isBeingDeleted({ signingKeys: row.signingKeys }) : null,
        }))
        printPage(options, databases, {
          columns: { DATABASE: nameOf, ID: ({ id }) => id, STATE: stateOf },
          key: nameOf,
          empty: 'No databases yet.',
        })
      }),
    )
  database
    .command('show')
    .argument('<workspace/name>', 'database', databasePath)
    .description('show a database with its settings')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(async (store, config) => {
        const row = await requireDatabase(store, path)
        const { id, createdAt } = row
        const settings = shownSettings(row)
        const url = databaseUrl(config.baseUrl, path)
        const hashParameterSets = row.dummyHashes.length
        print(
          options,
          { id, ...path, url, ...settings, hashParameterSets, createdAt },
          aligned([
            ['id', id],
            ['url', url],
            ...settingsOf(settings),
            ['hash parameters', `${hashParameterSets} ${hashParameterSets === 1 ? 'set' : 'sets'}`],
            ['created', createdAt.toISOString()],
          ]),
        )
      }),
    )
  database
    .command('set')
    .argument('<workspace/name>', 'database', databasePath)
    .description('change settings of a database; servers apply them within 5 s')
    .addOption(passwordPolicy())
    .option(
      '--token-max-age <seconds>',
      'lifetime of tokens, 60 to 86400, or "default" for the server’s TOKEN_MAX_AGE',
      (text) => (text === 'default' ? text : wholeNumber(60, 86_400)(text)),
    )
    .addOption(
      new Option('--signing-algorithm <name>', 'algorithm of signing keys created from now on').choices(
        Object.values(SigningAlgorithm),
      ),
    )
    .option(
      '--network-failures-per-hour <number>',
      'maximum failed logins and sign-ups per client network, over all accounts; 0 for no limit',
      wholeNumber(0, 1_000_000),
    )
    .option(
      '--mails-per-hour <number>',
      'maximum mails that clients may request for all users; 0 for no limit',
      wholeNumber(0, 1_000_000),
    )
    .addOption(accountOperations())
    .addOption(requireVerifiedEmail())
    .addOption(verifyEmailWithToken())
    .addOption(sessionIdle())
    .addOption(sessionMax())
    .addOption(sessionsPerUser())
    .option('--claims <json>', 'JSON object of claims for every token, such as {"role":"authenticated"}')
    .option('--app-url <url>', 'URL of the app to which links in mails lead, or "none"')
    .option(
      '--webhook-url <url>',
      'URL to which servers post the events of the database, or "none"; the first one prints the secret',
    )
    .option('--new-webhook-secret', 'replace the secret that signs the events, and print the new one')
    .option('--json', 'print the result as JSON')
    .action(
      (path, { json, tokenMaxAge: maxAge, claims, appUrl, webhookUrl: url, newWebhookSecret, ...others }) => {
        const settings = {
          ...others,
          ...(maxAge !== undefined && { tokenMaxAge: maxAge === 'default' ? null : maxAge }),
          ...(appUrl !== undefined && { appUrl: appUrl === 'none' ? null : parseAppUrl(appUrl) }),
          ...(claims !== undefined && { claims: parseFixedClaims(claims) }),
        }
        const webhook = {
          ...(url !== undefined && { webhookUrl: url === 'none' ? null : parseWebhookUrl(url) }),
          ...(newWebhookSecret && { newWebhookSecret }),
        }
        const audited = {
          ...settings,
          ...webhook,
          ...(webhook.webhookUrl && { webhookUrl: new URL(webhook.webhookUrl).origin }),
        }
        if (Object.keys(audited).length === 0)
          throw new UsageError('at least one setting is required. See --help')
        return withStore(async (store, _config, log) => {
          const ofWebhook: Partial<ReturnType<typeof webhookSettings>> =
            Object.keys(webhook).length > 0
              ? webhookSettings(await requireDatabase(store, path), webhook)
              : {}
          const { webhookSecret: secret } = ofWebhook
          const row = await setDatabase(store, path, { ...settings, ...ofWebhook })
          audit(log, 'database.set', { databaseId: row.id, settings: audited })
          const shown = {
            id: row.id,
            ...path,
            ...shownSettings(row),
            ...(secret && { webhookSecret: secret }),
          }
          const next = settings.signingAlgorithm
            ? `\nTo create a key with ${row.signingAlgorithm}, run: usher keys rotate ${nameOf(path)}`
            : ''
          const once = secret ? `\nSecret of the webhook, which is shown only now: ${secret}` : ''
          print({ json }, shown, aligned(settingsOf(shown)) + next + once)
        })
      },
    )
  database
    .command('prune-hashes')
    .argument('<workspace/name>', 'database', databasePath)
    .description('remove sets of hash parameters that no user has any more')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(async (store, config, log) => {
        const context = { store, hashing: { dummyHash: currentDummyHash(config.hashing) } }
        const { id, removed, left } = await pruneHashParameters(context, path)
        audit(log, 'database.hash_parameters_pruned', { databaseId: id, removed })
        const text = `Removed sets of hash parameters: ${removed}. Left: ${left}.`
        print(options, { id, ...path, removed, left }, text)
      }),
    )
  database
    .command('delete')
    .argument('<workspace/name>', 'database', databasePath)
    .description('delete a database and all its users permanently')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action(async (path, options) => {
      const name = nameOf(path)
      if (!options.yes) {
        requireTerminal(`deleting ${name}`)
        await confirmDeletion(name, 'it and everything in it')
      }
      await withStore(async (store, _config, log) => {
        const { id, users } = await deleteDatabase(store, path)
        audit(log, 'database.deleted', { databaseId: id })
        print(options, { id, ...path, users }, `Deleted database ${name}. Users deleted: ${users}.`)
      })
    })
}

const nameOf = ({ workspaceSlug, databaseName }: DatabasePath) => `${workspaceSlug}/${databaseName}`

const stateOf = ({ beingDeleted }: { beingDeleted: boolean | null }) =>
  beingDeleted === null ? 'its node cannot be reached' : beingDeleted ? 'being deleted' : 'active'

/** Returns the settings as `list`, `show` and `set` print them. */
const shownSettings = (row: DatabaseFields) => ({
  passwordPolicy: row.passwordPolicy,
  tokenMaxAge: row.tokenMaxAge,
  signingAlgorithm: row.signingAlgorithm,
  networkFailuresPerHour: row.networkFailuresPerHour,
  mailsPerHour: row.mailsPerHour,
  accountOperations: row.accountOperations,
  requireVerifiedEmail: row.requireVerifiedEmail,
  verifyEmailWithToken: row.verifyEmailWithToken,
  sessionIdle: row.sessionIdle,
  sessionMax: row.sessionMax,
  sessionsPerUser: row.sessionsPerUser,
  claims: row.claims,
  appUrl: row.appUrl,
  webhookUrl: row.webhookUrl,
})

/** Returns the settings with their labels. */
const settingsOf = (row: ReturnType<typeof shownSettings>) => [
  ['password policy', row.passwordPolicy],
  ['token lifetime', row.tokenMaxAge === null ? 'the server’s TOKEN_MAX_AGE' : `${row.tokenMaxAge} s`],
  ['signing algorithm', row.signingAlgorithm],
  [
    'network failures',
    row.networkFailuresPerHour === 0 ? 'no limit' : `${row.networkFailuresPerHour} an hour`,
  ],
  ['mails', row.mailsPerHour === 0 ? 'no limit' : `${row.mailsPerHour} an hour`],
  ['account operations', row.accountOperations ? 'on' : 'off'],
  ['verified email', row.requireVerifiedEmail ? 'required' : 'not required'],
  ['verification', row.verifyEmailWithToken ? 'needs a token' : 'needs no token'],
  [
    'sessions',
    row.sessionMax === 0
      ? 'none'
      : `end after ${row.sessionIdle} s unused, or ${row.sessionMax} s; at most ${row.sessionsPerUser} a user`,
  ],
  ['fixed claims', JSON.stringify(row.claims)],
  ['app', row.appUrl ?? 'none'],
  ['webhook', row.webhookUrl ?? 'none'],
]

const passwordPolicy = () =>
  new Option('--password-policy <policy>', 'rules for new passwords').choices(Object.values(PasswordPolicy))

const accountOperations = () =>
  new Option('--account-operations <state>', 'whether users have sessions and can change their account')
    .choices(['on', 'off'])
    .argParser(isOn)

const requireVerifiedEmail = () =>
  new Option(
    '--require-verified-email <state>',
    'whether tokens say in "email_verified" if the address is verified',
  )
    .choices(['on', 'off'])
    .argParser(isOn)

const verifyEmailWithToken = () =>
  new Option(
    '--verify-email-with-token <state>',
    'whether verifying an address needs a token of its user, in addition to the code',
  )
    .choices(['on', 'off'])
    .argParser(isOn)

/** Also checks the state, because a parser replaces the check of `choices`. */
function isOn(state: string) {
  if (state === 'on' || state === 'off') return state === 'on'
  throw new InvalidArgumentError('Allowed choices are on, off.')
}

/** Longer than the 120 s in which a login can open its session. */
const minSessionSeconds = 300
/** 400 days: the longest that browsers keep a cookie. */
const maxSessionSeconds = 34_560_000

const sessionIdle = () =>
  new Option('--session-idle <seconds>', 'a session ends after this time without a refresh').argParser(
    wholeNumber(minSessionSeconds, maxSessionSeconds),
  )

const sessionMax = () =>
  new Option(
    '--session-max <seconds>',
    'a session ends this time after its login; 0 for no sessions',
  ).argParser((text) => (text === '0' ? 0 : wholeNumber(minSessionSeconds, maxSessionSeconds)(text)))

/** As many as the list of sessions shows, so that users see all of theirs. */
const maxSessionsPerUser = 100

const sessionsPerUser = () =>
  new Option(
    '--sessions-per-user <number>',
    'a user with this number of sessions who opens another one loses the longest unused one',
  ).argParser(wholeNumber(1, maxSessionsPerUser))
