import { PathName } from '@usher/contract'
import { ChangeMailSettingsBody, Scope } from '@usher/contract/management'
import { type DatabaseSettings, type SettingName, settings } from '@usher/contract/settings'
import { z } from 'zod'
import { ConfigError } from '../config.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import { Problem } from '../domain/problem.js'
import { Environment } from '../environment.js'
import type { MailSettings } from '../store/queries/mail-settings.js'

/** The settings of `usher database set` except the webhook, whose secret only that command shows. */
type SettingOptions = {
  [Name in Exclude<SettingName, 'tokenMaxAge' | 'webhookUrl'>]?: DatabaseSettings[Name] | undefined
}

/** How its mails look. Templates replace those of the server. */
type MailOptions = Partial<MailSettings> & { mailTemplates?: ChangeMailSettingsBody['mailTemplates'] }

/** A new database. All options are optional. By default, `appUrl` is `https://app.example.com`, and `signUpsPerHour` is 0. */
export interface DatabaseOptions extends SettingOptions, MailOptions {
  /** Slug of its workspace, which is created if it does not exist. `demo` by default. */
  workspace?: string | undefined
  /** Its name. `app` by default, then `app-2` and so on. */
  database?: string | undefined
  /** Lifetime of its tokens, 60 to 86,400. The server's `TOKEN_MAX_AGE` by default. */
  tokenMaxAgeSeconds?: number | undefined
}

/** Options of a server, and of its first database. */
export interface StartOptions extends DatabaseOptions {
  /** Environment variables of docs/configuration.md. Those of the process are not read. */
  settings?: Record<string, string> | undefined
  /**
   * Answers a lookup of the TXT records of a name with their texts, for the check of domains. By default, only the domains of
   * `addTenantProvider` have a record. A rejection is a lookup without an answer.
   */
  dns?: FindTexts | undefined
}

/** Returns the texts of the TXT records of a name. */
type FindTexts = (name: string) => readonly string[] | Promise<readonly string[]>

const { tokenMaxAge, webhookUrl: _, ...ofDatabase } = settings
const schemas = Object.fromEntries(Object.entries(ofDatabase).map(([name, { schema }]) => [name, schema]))
export const DatabaseOptions = z
  .strictObject({
    ...(schemas as { [Name in keyof typeof ofDatabase]: (typeof ofDatabase)[Name]['schema'] }),
    ...ChangeMailSettingsBody.shape,
    workspace: PathName,
    database: PathName,
    tokenMaxAgeSeconds: tokenMaxAge.schema.unwrap(),
  })
  .partial()

/** An API key. Its database, such as `createDatabase` returns it, is the first one of the server by default. */
export interface ApiKeyOptions {
  /** Address of the server. Has no effect. */
  baseUrl?: string | undefined
  /** Slug of the workspace of its database. */
  workspace?: string | undefined
  /** Name of its database. */
  database?: string | undefined
  /** What it allows. Everything by default. */
  scopes?: Scope[] | undefined
}

export const ApiKeyOptions = z.strictObject({
  baseUrl: z.string().optional(),
  workspace: PathName,
  database: PathName,
  scopes: z.array(Scope).min(1).default(Scope.options),
})

/** Settings without effect: the store is in memory, one process serves, and `PORT` gives the address. */
const withoutEffect = {
  BASE_URL: true,
  HOST: true,
  WORKERS: true,
  METRICS_HOST: true,
  METRICS_PORT: true,
  MANAGEMENT_PORT: true,
  DATABASE_URL: true,
  STORE_CONNECTIONS: true,
  STORE_NODE_CONNECTIONS: true,
  DATA_DIR: true,
  USHER_MASTER_KEY: true,
  USHER_NEW_MASTER_KEY: true,
  SHUTDOWN_DELAY_SECONDS: true,
} as const

export const StartOptions = DatabaseOptions.extend({
  settings: z.partialRecord(Environment.omit(withoutEffect).keyof(), z.string()).default({}),
  dns: z.custom<FindTexts>((value) => typeof value === 'function', 'must be a function').optional(),
})

/** Returns a handler that turns errors of options into a TypeError, which names the function. */
export const rejectOptions = (name: string) => (error: unknown) => {
  if (error instanceof z.ZodError) {
    const problems = error.issues.map(({ path, message }) => [...path, message].join(': '))
    throw new TypeError(`${name}: ${problems.join('; ')}`)
  }
  const isOfOptions = [ConfigError, BlocklistError, Problem].some((type) => error instanceof type)
  throw isOfOptions ? new TypeError(`${name}: ${(error as Error).message.replace(/^--/, '')}`) : error
}
