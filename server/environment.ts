import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'

const optionalWholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .pipe(z.number().min(min, { error }).max(max, { error }))
    .optional()
}

const wholeNumber = (min: number, max: number, fallback: number) =>
  optionalWholeNumber(min, max).default(fallback)

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''))

const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'must be 32 bytes as base64 (openssl rand -base64 32)' })
  .transform((text) => Buffer.from(text, 'base64'))

const originsLike = (example: string) =>
  z.string().refine((text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text), {
    error: `must be * or a comma-separated list of origins such as ${example}`,
  })

const loopback = ['localhost', '127.0.0.1', '[::1]']

const privateIssuer = z
  .string()
  .refine(isPrivateIssuer, {
    error:
      'must be a comma-separated list of issuers or origins such as https://login.example.internal/realms/acme: https, or http on localhost, 127.0.0.1 or [::1]',
  })
  .transform((text) => text.replace(/\/$/, ''))

function isPrivateIssuer(text: string) {
  if (!URL.canParse(text)) return false
  const { origin, pathname, protocol, hostname } = new URL(text)
  const isWhole = [text, `${text}/`].includes(origin + pathname)
  return isWhole && (protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname)))
}

const listOf = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(schema))

/** Networks that Fastify knows by name. */
const networkNames = ['loopback', 'linklocal', 'uniquelocal']

function isAddressOrNetwork(text: string) {
  const [, address = '', length] = /^([\da-f.:]+)(?:\/([1-9]\d{0,2}))?$/i.exec(text) ?? []
  const version = isIP(address)
  return version > 0 && Number(length ?? 1) <= (version === 4 ? 32 : 128)
}

/** The number of proxies, or their addresses and networks. */
const trustedProxies = z
  .string()
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())))
  .refine(
    (proxies) =>
      typeof proxies === 'number'
        ? proxies <= 10
        : proxies.every((proxy) => networkNames.includes(proxy) || isAddressOrNetwork(proxy)),
    {
      error: `must be a whole number from 0 to 10, or a comma-separated list of addresses, networks such as 10.0.0.0/8, ${networkNames.join(', ')}`,
    },
  )

const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// URL' })
  .refine((url) => !URL.canParse(url) || hasEncodedPassword(new URL(url)), {
    error: 'must have a percent-encoded user name and password: # as %23, / as %2F, ? as %3F, % as %25',
    abort: true,
  })
  .refine((url) => !URL.canParse(url) || hasKnownTlsMode(new URL(url)), {
    error:
      'must have sslmode=verify-full, verify-ca, require, prefer, no-verify or disable, or none; and ssl=true, 1 or 0, or none',
  })

/** Returns whether the password ends where it seems to: after a character of it such as #, its rest and the @ follow the host. */
function hasEncodedPassword({ username, password, pathname, search, hash }: URL) {
  if (hash !== '' || (username === '' && (pathname + search).includes('@'))) return false
  try {
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  return true
}

const smtpUrl = z
  .string()
  .refine(isSmtpUrl, {
    error: 'must be an smtp:// or smtps:// URL with percent-encoded user name and password',
  })
  .check((context) => {
    if (!isSmtpUrl(context.value)) return
    for (const [name, value] of new URL(context.value).searchParams) {
      const message = errorOfSmtpParameter(name, value)
      if (message) context.issues.push({ code: 'custom', input: context.value, message })
    }
  })

const smtpSwitches = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized']
const smtpTexts = ['name', 'tls.servername']

/** nodemailer ignores unknown parameters, so a misspelt requireTLS would send passwords unencrypted. */
function errorOfSmtpParameter(name: string, value: string) {
  if (smtpTexts.includes(name)) return undefined
  if (smtpSwitches.includes(name)) {
    return ['true', 'false'].includes(value) ? undefined : `must have ${name}=true or ${name}=false`
  }
  const known = [...smtpSwitches, ...smtpTexts].join(', ')
  return `must have no parameter ${name}, only ${known}`
}

function isSmtpUrl(text: string) {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^smtps?:$/.test(url.protocol) && url.hostname !== '' && hasEncodedPassword(url)
}

const mailAddress = /^[^\p{C}\s<>"(),;@]+@[^\p{C}\s<>"(),;@]+$/u

/**
 * Returns the name and address of `Name <address>`, `"Name" <address>` or `address`. Returns undefined for other
 * texts.
 */
function parseMailbox(text: string) {
  const [, , name = '', address = text] = /^("?)([^\p{C}<>"]+)\1 *<(.+)>$/u.exec(text) ?? []
  return mailAddress.test(address) ? { name: name.trim(), address } : undefined
}

const tlsModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/** pg would treat an unknown sslmode as verify-full, and exit on an unknown value of ssl at the first connection. */
const hasKnownTlsMode = ({ searchParams }: URL) =>
  searchParams.getAll('sslmode').every((mode) => tlsModes.includes(mode)) &&
  searchParams.getAll('ssl').every((value) => ['true', '1', '0'].includes(value))

const server = {
  HOST: z.string().default('localhost').describe('Address to listen on. A container needs `0.0.0.0`.'),
  PORT: wholeNumber(1, 65535, 3000).describe('Port of the API.'),
  MANAGEMENT_PORT: optionalWholeNumber(1, 65535).describe(
    'Port of the [management API](management.md#separate-port), which `PORT` then no longer has. Must differ from `PORT` and `METRICS_PORT`.',
  ),
  BASE_URL: httpUrl
    .optional()
    .describe(
      'URL at which clients reach the server. It is part of the `iss` of every token, so changing it invalidates all tokens. Default: `http://localhost:PORT`.',
    ),
  WORKERS: optionalWholeNumber(1, 256).describe(
    'Number of processes that serve on `PORT`. `usher serve --workers` overrides it. The embedded store allows only 1. Default: one per two cores with `DATABASE_URL`, otherwise 1.',
  ),
  TRUST_PROXY: trustedProxies
    .default(0)
    .describe(
      '[Proxies](several-instances.md#the-proxy) in front of the server whose `X-Forwarded-For` is trusted for the address of the client, by which failed logins are counted: their number, 0 to 10, or their addresses and networks, separated by commas, such as `10.0.0.0/8,loopback`. `linklocal` and `uniquelocal` are networks too.',
    ),
  CORS_ORIGINS: listOf(originsLike('https://app.example.com'))
    .default(['*'])
    .describe(
      'Origins whose pages may call the API, separated by commas, or `*` for all. Credentials (cookies) are never allowed.',
    ),
  PRIVATE_ISSUERS: listOf(privateIssuer)
    .optional()
    .describe(
      'Issuers or origins of identity providers that may have a private address or another port than 443, separated by commas: https, or http on `localhost`, `127.0.0.1` or `[::1]`. See [outgoing requests](configuration.md#outgoing-requests).',
    ),
  PRIVATE_WEBHOOKS: listOf(originsLike('http://backend.example.internal:8080'))
    .optional()
    .describe(
      'Origins of [webhooks](guides/webhooks.md) and [sign-up hooks](guides/sign-up-hook.md) that may have a private address, separated by commas, or `*` for all. See [outgoing requests](configuration.md#outgoing-requests).',
    ),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300, 0).describe(
    'Seconds to keep serving after SIGTERM while `/readyz` returns 503. Set it to slightly more than your load balancer needs to [notice](several-instances.md#restarting-them-one-by-one).',
  ),
  CONSOLE: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .optional()
    .describe(
      'Whether to serve the [console](operation.md#the-console) and the operator API; `on` also for other machines. Default: off with a Postgres server. With the embedded store, on [for this machine only](operation.md#for-this-machine-only), unless `BASE_URL`, `CONSOLE_URL` or `TRUST_PROXY` says that others reach the server.',
    ),
  CONSOLE_URL: httpUrl
    .optional()
    .describe(
      'URL at which browsers reach the console. Its host is the domain of the operators’ passkeys, so a server [refuses another host](operation.md#another-host-of-the-console) while they have some. Default: `BASE_URL/console`.',
    ),
  USHER_SERVER: httpUrl
    .optional()
    .describe(
      'Server that runs the commands of this machine, [as an operator](cli.md#on-another-machine), such as `https://usher.example.com`. Log in with `usher login URL`. A server ignores it.',
    ),
  DOCS: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe(
      'Whether to serve the API reference under `/docs` and `/management/docs`, and to redirect browsers to it from `/`. The OpenAPI documents and the pages of problems are always served.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info')
    .describe('Lowest level that is logged. Audit lines are written at every level except `silent`.'),
  METRICS_HOST: z
    .string()
    .default('localhost')
    .describe('Address of `/metrics` for [Prometheus](observability.md). A container needs `0.0.0.0`.'),
  METRICS_PORT: optionalWholeNumber(1, 65535).describe(
    'Port of `/metrics`. Must differ from `PORT` and `MANAGEMENT_PORT`. Default: no metrics.',
  ),
}

const store = {
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'URL of a Postgres server, version 15 or later. Add `sslmode=verify-full` for [TLS](operation.md#tls-to-postgres), and `pgbouncer=true` for [PgBouncer in transaction mode](several-instances.md#pgbouncer). Default: an embedded store in `DATA_DIR`.',
    ),
  STORE_CONNECTIONS: optionalWholeNumber(2, 10_000).describe(
    'Maximum number of connections to that server, of all workers together. Each worker gets at least 2. Default: 10 per worker, at most 50, so that two servers fit into the default limit of Postgres (100).',
  ),
  STORE_NODE_CONNECTIONS: optionalWholeNumber(2, 10_000).describe(
    'Maximum number of connections to [each node of a distributed store](scale-out.md#a-pool-for-each-node), of all workers together. Each worker gets at least 2. Default: all statements go through the node of `DATABASE_URL`.',
  ),
  DATA_DIR: z
    .string()
    .default('.usher')
    .describe(
      'Folder of the embedded store, of [the socket for commands](cli.md#where-commands-run), and of mails without SMTP. Not used with `DATABASE_URL` and `SMTP_URL`.',
    ),
  USHER_MASTER_KEY: masterKey
    .optional()
    .describe(
      'Encrypts the private signing keys in the store: 32 bytes as base64 (`openssl rand -base64 32`). Required with `DATABASE_URL`. The embedded store creates its own in `DATA_DIR`. See [the master key](operation.md#the-master-key).',
    ),
  USHER_NEW_MASTER_KEY: masterKey
    .optional()
    .describe(
      'The next [master key](operation.md#the-master-key), on servers and commands, until `usher keys rewrap` has finished.',
    ),
}

const passwords = {
  TOKEN_MAX_AGE: wholeNumber(60, 86400, 3600).describe(
    'Lifetime of tokens in seconds. `usher database set --token-max-age` overrides it for one database.',
  ),
  PASSWORD_BLOCKLIST_FILE: z
    .string()
    .optional()
    .describe(
      'File of [breached passwords](operation.md#breached-passwords) that sign-up, `usher user create` and `usher user set-password` reject.',
    ),
  ARGON2_MEMORY_KIB: wholeNumber(8, 4_194_304, 19456).describe(
    'Memory of one password hash (argon2id, RFC 9106) in KiB. A login replaces a hash that has other parameters.',
  ),
  ARGON2_PASSES: wholeNumber(1, 100, 2).describe('Passes of one password hash.'),
  ARGON2_PARALLELISM: wholeNumber(1, 64, 1).describe('Lanes of one password hash.'),
  HASH_CONCURRENCY: wholeNumber(1, 256, availableParallelism()).describe(
    'Number of passwords hashed in parallel, by all workers together. Default: one per core.',
  ),
  HASH_QUEUE_SECONDS: wholeNumber(1, 60, 2).describe(
    'Maximum time in seconds that a request waits for hashing. If it would wait longer, it is rejected with 503 and `Retry-After`.',
  ),
}

const mails = {
  SMTP_URL: smtpUrl
    .optional()
    .describe(
      'Server that [sends mails](guides/mail.md), such as `smtps://user:password@mail.example.com`. A secret if it has a password. Default: mails are written to files in `DATA_DIR/mail`.',
    ),
  MAIL_FROM: z
    .string()
    .transform(parseMailbox)
    .refine((mailbox) => mailbox !== undefined, {
      error: 'must be an address such as Acme <accounts@example.com>',
    })
    .optional()
    .describe(
      'Sender of the mails of databases that have [no other](guides/mails.md), such as `Acme <accounts@example.com>`. Required with `SMTP_URL`.',
    ),
  MAIL_TEMPLATES: z
    .string()
    .optional()
    .describe('Folder of [templates](guides/mails.md#templates) of mails of all databases.'),
}

/** The environment variables by group, with their descriptions for docs/configuration.md and .env.example. */
export const environmentGroups = {
  Server: server,
  Store: store,
  'Tokens and passwords': passwords,
  Mail: mails,
}

/** Every environment variable that Usher reads. */
export const Environment = z.object({ ...server, ...store, ...passwords, ...mails })

/** Variables that the command line also reads from the file that `NAME_FILE` names. */
export const secretVariables = [
  'DATABASE_URL',
  'USHER_MASTER_KEY',
  'USHER_NEW_MASTER_KEY',
  'SMTP_URL',
] as const
