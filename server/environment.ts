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

/** Every environment variable that Usher reads. `.env.example` explains each. */
export const Environment = z.object({
  HOST: z.string().default('localhost'),
  PORT: wholeNumber(1, 65535, 3000),
  WORKERS: optionalWholeNumber(1, 256),
  MANAGEMENT_PORT: optionalWholeNumber(1, 65535),
  BASE_URL: httpUrl.optional(),
  METRICS_HOST: z.string().default('localhost'),
  METRICS_PORT: optionalWholeNumber(1, 65535),
  DATABASE_URL: databaseUrl.optional(),
  STORE_CONNECTIONS: optionalWholeNumber(2, 10_000),
  STORE_NODE_CONNECTIONS: optionalWholeNumber(2, 10_000),
  DATA_DIR: z.string().default('.usher'),
  USHER_SERVER: httpUrl.optional(),
  USHER_MASTER_KEY: masterKey.optional(),
  USHER_NEW_MASTER_KEY: masterKey.optional(),
  TOKEN_MAX_AGE: wholeNumber(60, 86400, 3600),
  PASSWORD_BLOCKLIST_FILE: z.string().optional(),
  ARGON2_MEMORY_KIB: wholeNumber(8, 4_194_304, 19456),
  ARGON2_PASSES: wholeNumber(1, 100, 2),
  ARGON2_PARALLELISM: wholeNumber(1, 64, 1),
  HASH_CONCURRENCY: wholeNumber(1, 256, availableParallelism()),
  HASH_QUEUE_SECONDS: wholeNumber(1, 60, 2),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: z
    .string()
    .transform(parseMailbox)
    .refine((mailbox) => mailbox !== undefined, {
      error: 'must be an address such as Acme <accounts@example.com>',
    })
    .optional(),
  MAIL_TEMPLATES: z.string().optional(),
  TRUST_PROXY: trustedProxies.default(0),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300, 0),
  CORS_ORIGINS: listOf(originsLike('https://app.example.com')).default(['*']),
  PRIVATE_ISSUERS: listOf(privateIssuer).optional(),
  PRIVATE_WEBHOOKS: listOf(originsLike('http://backend.example.internal:8080')).optional(),
  CONSOLE: z.enum(['on', 'off'], { error: 'must be on or off' }).optional(),
  CONSOLE_URL: httpUrl.optional(),
  DOCS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
})

/** Variables that the command line also reads from the file that `NAME_FILE` names. */
export const secretVariables = [
  'DATABASE_URL',
  'USHER_MASTER_KEY',
  'USHER_NEW_MASTER_KEY',
  'SMTP_URL',
] as const
