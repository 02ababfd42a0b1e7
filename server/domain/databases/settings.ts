import type { z } from 'zod'
import { PasswordPolicy, SigningAlgorithm } from '../../store/generated/enums.js'
import { fixedClaims } from './fixed-claims.js'
import { loginSettings } from './login-settings.js'
import { noticeSettings } from './notice-settings.js'
import { passkeySettings } from './passkey-settings.js'
import { secondFactorSettings } from './second-factor-settings.js'
import { sessionSettings } from './session-settings.js'
import {
  appUrl,
  choice,
  parseJson,
  perHour,
  type Setting,
  setting,
  switched,
  url,
  webhookUrl,
  wholeNumber,
} from './setting.js'
import { tenantSettings } from './tenant-settings.js'

const tokenSeconds = wholeNumber(60, 86_400)

/**
 * The settings of a database, in the order in which they are shown. The command line, `@usher/server/testing` and the
 * tests of the documents read this table.
 */
export const settings = {
  /** Which passwords users may choose. */
  passwordPolicy: setting({
    ...choice(PasswordPolicy),
    default: 'standard',
    placeholder: '<policy>',
    description: 'rules for new passwords',
    label: 'password policy',
  }),
  /** Lifetime of its tokens in seconds. Null for the server's `TOKEN_MAX_AGE`. */
  tokenMaxAge: setting({
    ...tokenSeconds,
    schema: tokenSeconds.schema.nullable(),
    default: null,
    placeholder: '<seconds>',
    description: 'lifetime of tokens, 60 to 86400, or "default" for the server’s TOKEN_MAX_AGE',
    words: { default: null },
    label: 'token lifetime',
    show: (seconds) => (seconds === null ? 'the server’s TOKEN_MAX_AGE' : `${seconds} s`),
  }),
  /** Algorithm of the signing keys that are created from now on. */
  signingAlgorithm: setting({
    ...choice(SigningAlgorithm),
    default: 'ES256',
    placeholder: '<name>',
    description: 'algorithm of signing keys created from now on',
    label: 'signing algorithm',
  }),
  /** Failed logins and sign-ups that one client network may cause. 0 for no limit. */
  networkFailuresPerHour: setting({
    ...perHour(),
    default: 300,
    description: 'maximum failed logins and sign-ups per client network, over all accounts; 0 for no limit',
    label: 'network failures',
  }),
  /** Mails that clients may request for all users. 0 for no limit. */
  mailsPerHour: setting({
    ...perHour(),
    default: 1000,
    description: 'maximum mails that clients may request for all users; 0 for no limit',
    label: 'mails',
  }),
  /** Sign-ups without an invitation from one client network. 0 for no limit. */
  signUpsPerHour: setting({
    ...perHour(),
    default: 100,
    description: 'maximum sign-ups per client network, except those with an invitation; 0 for no limit',
    label: 'sign-ups',
  }),
  /** Whether users can sign up. Commands and the management API can always create users. */
  signUp: setting({
    ...switched('on', 'off'),
    default: true,
    description: 'whether users can sign up; commands and API keys can always create users',
    label: 'sign-up',
  }),
  /** Whether users have sessions and codes and can change their account. */
  accountOperations: setting({
    ...switched('on', 'off'),
    default: true,
    description: 'whether users have sessions and can change their account',
    label: 'account operations',
  }),
  ...tenantSettings,
  /** Whether tokens say in `email_verified` if the address is verified. */
  requireVerifiedEmail: setting({
    ...switched('required', 'not required'),
    default: false,
    description: 'whether tokens say in "email_verified" if the address is verified',
    label: 'verified email',
  }),
  /** Whether an address is verified only with a token of its user, in addition to the code. */
  verifyEmailWithToken: setting({
    ...switched('needs a token', 'needs no token'),
    default: false,
    description: 'whether verifying an address needs a token of its user, in addition to the code',
    label: 'verification',
  }),
  ...loginSettings,
  ...secondFactorSettings,
  ...sessionSettings,
  /** Fixed claims of all tokens, such as `{ role: 'authenticated' }`. */
  claims: setting({
    schema: fixedClaims,
    default: {},
    placeholder: '<json>',
    description: 'JSON object of claims for every token, such as {"role":"authenticated"}',
    read: parseJson,
    label: 'fixed claims',
    show: (claims) => JSON.stringify(claims),
  }),
  /** Where the links in mails lead. */
  appUrl: setting({
    ...url,
    schema: appUrl,
    default: null,
    description: 'URL of the app to which links in mails lead, or "none"',
    label: 'app',
  }),
  ...passkeySettings,
  ...noticeSettings,
  /** Where servers send the events. */
  webhookUrl: setting({
    ...url,
    schema: webhookUrl,
    default: null,
    description:
      'URL to which servers post the events of the database, or "none"; the first URL also creates a secret, which is shown once',
    label: 'webhook',
  }),
  /** Days for which the management API lists an event. 0: events are not stored for it. */
  eventsKept: setting({
    ...wholeNumber(0, 90),
    default: 0,
    placeholder: '<days>',
    description: 'days for which the management API lists events, 0 to 90; 0 to keep none',
    label: 'events kept',
    show: (days) => (days === 0 ? 'no' : `${days} ${days === 1 ? 'day' : 'days'}`),
  }),
}

type Settings = typeof settings
export type SettingName = keyof Settings
/** The values of all settings. */
export type DatabaseSettings = { [Name in SettingName]: z.infer<Settings[Name]['schema']> }
/** A setting with values of any type. */
export type AnySetting = Setting<z.ZodType>

/** The values of a new database. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settings).map(([name, each]) => [name, each.default]),
) as DatabaseSettings

/** Settings by name. */
export const settingEntries = Object.entries(settings) as unknown as [SettingName, AnySetting][]

/** Returns the value of a text, or the message of its first error. */
export function readSetting({ schema, words = {}, read }: AnySetting, text: string) {
  const { data, error } = schema.safeParse(Object.hasOwn(words, text) ? words[text] : read(text))
  return { value: data, error: error?.issues[0]?.message }
}

/** Returns the settings among the columns of a database. */
export const settingsOf = (row: Omit<DatabaseSettings, 'claims'> & { claims: unknown }) =>
  Object.fromEntries(settingEntries.map(([name]) => [name, row[name]])) as DatabaseSettings

/** Returns the labels and values that commands print. */
export const shownSettings = <Name extends string>(
  values: Record<Name, unknown>,
  entries: readonly [Name, AnySetting][],
) =>
  entries.flatMap(([name, { label, show }]) =>
    label && show ? [[label, show(values[name], values)] as const] : [],
  )
