import { type Command, Option } from '@commander-js/extra-typings'
import type { Sso, SsoConnection, SsoDomain } from '@usher/contract'
import { ssoPresets } from '@usher/contract'
import { usageError } from '../../domain/problem.js'
import { duration, role, uuid } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { nameOption } from '../io/connection-options.js'
import { printable, table } from '../io/listing.js'
import { confirmDeletion, readSecret, requireTerminal } from '../io/terminal.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that set up the single sign-on of a tenant. */
export function addSsoCommands(tenant: Command, cli: Cli) {
  const sso = tenant.command('sso').description('set up the single sign-on of a tenant')
  addPortalCommand(sso, cli)
  addShowCommand(sso, cli)
  addSetCommand(sso, cli)
  addConnectionCommands(sso, cli)
  addDomainCommands(sso, cli)
}

function addPortalCommand(sso: Command, { host, call }: Cli) {
  tenantCommand(sso, 'portal')
    .description('print a link with which the administrator of a customer sets it up, for 7 days')
    .option('--may-require', 'the link may also require single sign-on of the members')
    .option('--json', 'print the result as JSON')
    .action(async (path, tenantId, { mayRequire = false, ...options }) => {
      const created = await call('createSsoPortal', { params: { ...path, tenantId }, body: { mayRequire } })
      host.print(
        options,
        created,
        `One browser can open this link until ${created.expiresAt}:\n${created.url}`,
      )
    })
}

const switches = ['on', 'off'] as const
const isOn = (state: (typeof switches)[number] | undefined) =>
  state === undefined ? undefined : state === 'on'

function addShowCommand(sso: Command, { host, call }: Cli) {
  tenantCommand(sso, 'show')
    .description('show the settings, connections and domains')
    .option('--json', 'print the result as JSON')
    .action(async (path, tenantId, options) => {
      const body = await call('getSso', { params: { ...path, tenantId }, query: {} })
      host.print(options, body, textOf(body))
    })
}

const textOf = (sso: Sso) =>
  [
    `required: ${sso.requiredSince ?? 'no'}`,
    `exempt owners: ${sso.exempt.join(', ') || 'none'}`,
    `max age: ${sso.maxAge} s`,
    `acr: ${sso.acr ?? 'any'}${sso.trustAmr ? ', also by the provider' : ''}`,
    `callback URL: ${sso.callbackUrl}`,
    `first logins: ${sso.jit ? `create a ${printable(sso.defaultRole)}` : 'create nobody'}`,
    sso.connections.length > 0
      ? table(sso.connections, {
          CONNECTION: ({ id }) => id,
          STATE: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled'),
          TITLE: ({ title }) => printable(title),
          ISSUER: ({ issuer }) => printable(issuer),
        })
      : 'No connections.',
    sso.domains.length > 0
      ? table(sso.domains, {
          DOMAIN: ({ domain }) => domain,
          STATE: ({ state }) => state,
          'TXT RECORD': ({ record }) => `${record.name} "${record.value}"`,
        })
      : 'No domains.',
  ].join('\n')

function addSetCommand(sso: Command, { host, call }: Cli) {
  tenantCommand(sso, 'set')
    .description('change the settings')
    .addOption(
      new Option('--required <state>', 'whether members must log in with it; test a login first').choices(
        switches,
      ),
    )
    .option(
      '--exempt <ids>',
      'ids of one or two owners who open the tenant with their second factor, separated by commas',
    )
    .option('--max-age <duration>', 'for how long a login counts, 1h to 30d', duration(3_600, 2_592_000))
    .addOption(new Option('--acr <level>', 'the level that a login must have').choices(['aal2', 'none']))
    .addOption(
      new Option('--trust-amr <state>', 'whether second factors at the provider count for it').choices(
        switches,
      ),
    )
    .addOption(new Option('--jit <state>', 'whether a first login creates a member').choices(switches))
    .option('--default-role <role>', 'role of such a member', role)
    .option('--json', 'print the result as JSON')
    .action(async (path, tenantId, { json, required, exempt, maxAge, acr, trustAmr, jit, defaultRole }) => {
      const given = {
        required: isOn(required),
        exempt: exempt?.split(','),
        maxAge,
        acr: acr === 'none' ? null : acr,
        trustAmr: isOn(trustAmr),
        jit: isOn(jit),
        defaultRole,
      }
      const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      if (Object.keys(body).length === 0) throw usageError('at least one option is required. See --help')
      const changed = await call('changeSso', { params: { ...path, tenantId }, body }).catch(nameOption)
      host.print({ json }, changed, textOf(changed))
    })
}

/** What the options say about a connection. */
interface GivenConnection {
  issuer?: string | undefined
  tid?: string | undefined
  hd?: string | undefined
  title?: string | undefined
  scope?: string | undefined
}

const given = ({ scope, ...options }: GivenConnection) =>
  Object.fromEntries(
    Object.entries({ ...options, scopes: scope?.split(',') }).filter(([, value]) => value !== undefined),
  )

const registered = ({ callbackUrl }: SsoConnection, done: string) =>
  `${done} Register this callback URL at the provider:\n${callbackUrl}`

/** Returns a function that adds a command on one connection of a tenant. */
const connectionCommand = (sso: Command) => (name: string, description: string) =>
  tenantCommand(sso, name)
    .argument('<connection>', 'id of the connection, as show prints it', uuid)
    .description(description)
    .option('--json', 'print the result as JSON')
type OnConnection = ReturnType<typeof connectionCommand>

function addConnectionCommands(sso: Command, { host, call }: Cli) {
  const onConnection = connectionCommand(sso)
  const secretPrompt = 'Secret of the client: '
  tenantCommand(sso, 'add-connection')
    .description('connect an identity provider; the secret of the client is typed or read from stdin')
    .option('--id <uuid>', 'id of the connection, a new UUID, for the callback URL that show prints')
    .requiredOption('--client-id <id>', 'id of the client')
    .addOption(
      new Option('--preset <preset>', 'kind of the provider; by default that of the issuer').choices(
        ssoPresets,
      ),
    )
    .option('--issuer <url>', 'issuer of the provider')
    .option('--tid <id>', 'Entra: id of the directory, in place of the issuer')
    .option('--hd <domain>', 'Google Workspace: the only domain whose accounts may log in')
    .option('--title <text>', 'what a button shows')
    .option('--scope <scopes>', 'scopes that replace those of the preset, separated by commas')
    .option('--no-secret', 'the client has no secret')
    .option('--json', 'print the result as JSON')
    .action(async (path, tenantId, { json, secret: hasSecret, id, clientId, preset, ...options }) => {
      const secret = hasSecret ? await readSecret(host, secretPrompt) : undefined
      const body = {
        clientId,
        ...(id && { id }),
        ...(preset && { preset }),
        ...given(options),
        ...(secret !== undefined && { secret }),
      }
      const added = await call('addSsoConnection', { params: { ...path, tenantId }, body }).catch(nameOption)
      host.print({ json }, added, registered(added, `Added connection ${added.id}.`))
    })
  onConnection('set-connection', 'change a connection; servers apply it within 5 s')
    .option('--client-id <id>', 'id of the client')
    .option('--new-secret', 'replace the secret of the client, typed or read from stdin')
    .option('--issuer <url>', 'issuer of the provider; what logins with the former one have proven ends')
    .option('--tid <id>', 'Entra: id of the directory, in place of the issuer')
    .option('--hd <domain>', 'Google Workspace: the only domain whose accounts may log in')
    .option('--title <text>', 'what a button shows')
    .option('--scope <scopes>', 'scopes that replace those of the preset, separated by commas')
    .addOption(
      new Option('--state <state>', 'whether members can log in with it').choices(['enabled', 'disabled']),
    )
    .action(async (...[path, tenantId, connectionId, { json, clientId, newSecret, state, ...options }]) => {
      const body = {
        ...given(options),
        ...(clientId !== undefined && { clientId }),
        ...(newSecret && { secret: await readSecret(host, secretPrompt) }),
        ...(state !== undefined && { isEnabled: state === 'enabled' }),
      }
      if (Object.keys(body).length === 0) throw usageError('at least one option is required. See --help')
      const params = { ...path, tenantId, connectionId }
      const changed = await call('changeSsoConnection', { params, body }).catch(nameOption)
      host.print({ json }, changed, registered(changed, `Changed connection ${connectionId}.`))
    })
  addOnConnectionCommands(onConnection, { host, call })
}

function addOnConnectionCommands(onConnection: OnConnection, { host, call }: Pick<Cli, 'host' | 'call'>) {
  onConnection(
    'check-connection',
    'ask the provider whether it knows the client, and say what to correct',
  ).action(async (...[path, tenantId, connectionId, options]) => {
    await call('checkSsoConnection', { params: { ...path, tenantId, connectionId } })
    host.print(options, {}, 'The provider accepts the client.')
  })
  onConnection('remove-connection', 'remove a connection')
    .option('--yes', 'do not ask for confirmation')
    .action(async (...[path, tenantId, connectionId, options]) => {
      if (!options.yes) {
        requireTerminal(host, `removing ${connectionId}`)
        await confirmDeletion(host, connectionId, 'this connection')
      }
      await call('removeSsoConnection', { params: { ...path, tenantId, connectionId } })
      host.print(options, {}, `Removed connection ${connectionId}.`)
    })
}

const recordOf = ({ record: { name, value } }: SsoDomain) => `${name} TXT "${value}"`

function addDomainCommands(sso: Command, { host, call }: Cli) {
  const onDomain = (name: string, description: string) =>
    tenantCommand(sso, name)
      .argument('<domain>', 'the part of addresses after the @')
      .description(description)
      .option('--json', 'print the result as JSON')
  onDomain('add-domain', 'add a mail domain, and print the record to add to DNS').action(
    async (...[path, tenantId, domain, options]) => {
      const added = await call('addSsoDomain', { params: { ...path, tenantId }, body: { domain } })
      host.print(
        options,
        added,
        `Add this record to DNS within 7 days, and run check-domain:\n${recordOf(added)}`,
      )
    },
  )
  onDomain('check-domain', 'prove a domain by its record').action(
    async (...[path, tenantId, domain, options]) => {
      const checked = await call('checkSsoDomain', { params: { ...path, tenantId, domain } })
      host.print(options, checked, `Domain ${checked.domain} is ${checked.state}.`)
    },
  )
  onDomain(
    'move-domain',
    'prove a domain by its record, also if another tenant has it, which then loses it',
  ).action(async (...[path, tenantId, domain, options]) => {
    const moved = await call('transferSsoDomain', { params: { ...path, tenantId, domain } })
    host.print(options, moved, `Domain ${moved.domain} is ${moved.state}.`)
  })
  onDomain('remove-domain', 'remove a domain; known members can still log in').action(
    async (...[path, tenantId, domain, options]) => {
      await call('removeSsoDomain', { params: { ...path, tenantId, domain } })
      host.print(options, {}, `Removed domain ${domain}.`)
    },
  )
}
