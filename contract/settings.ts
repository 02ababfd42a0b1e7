import { z } from 'zod'
import { choice, list, number, perHour, type Setting, settingsOf, text, toggle } from './setting.js'
import {
  appUrl,
  claimSources,
  fixedClaims,
  loginRedirects,
  ownRoles,
  passkeyDomain,
  passkeyOrigins,
  webhookUrl,
} from './setting-values.js'

export { type ClaimSource, maxClaimBytes, readClaimSource, tokenClaims } from './claims.js'
export { readSetting, type Setting, shownSetting } from './setting.js'
export { builtInRoles, isDomain } from './setting-values.js'
export * from './settings-of-mails.js'

const tokenSeconds = number(60, 86_400, 'seconds')
/**
 * At least 300 s: longer than the 120 s in which a login can open its session. At most 400 days, as cookies of
 * browsers.
 */
const sessionSeconds = number(300, 34_560_000, 'seconds')

const logins = settingsOf({
  signUp: {
    ...toggle,
    title: 'sign-up',
    default: true,
    text: 'whether users can sign up; commands and API keys can always create users',
  },
  signUpHookUrl: {
    ...text('url', webhookUrl),
    title: 'sign-up hook URL',
    confirms: true,
    text: 'https URL that servers ask before each sign-up, or "none"; each change creates a secret, which is shown once',
  },
  signUpHookFailure: {
    ...choice('rule', 'refuse', 'allow'),
    title: 'sign-up hook failure',
    default: 'refuse',
    confirms: true,
    text: 'what happens to a sign-up while the hook does not answer',
  },
  accountOperations: {
    ...toggle,
    title: 'account operations',
    default: true,
    text: 'whether users have sessions and can change their account',
  },
  passwordPolicy: {
    ...choice('policy', 'none', 'standard', 'nist'),
    title: 'password policy',
    default: 'standard',
    text: 'rules for new passwords',
  },
  requireVerifiedEmail: {
    ...toggle,
    title: 'require verified email',
    default: false,
    text: 'whether tokens say in "email_verified" if the address is verified',
  },
  verifyEmailWithToken: {
    ...toggle,
    title: 'verify email with token',
    default: false,
    text: 'whether verifying an address needs a token of its user, in addition to the code',
  },
  verifyEmailAtSignUp: {
    ...toggle,
    title: 'verify email at sign-up',
    default: false,
    text: 'whether a sign-up with a password sends the mail that verifies the address; needs an app URL',
  },
  loginMail: {
    ...choice('kind', 'off', 'code', 'link', 'both'),
    title: 'login mail',
    default: 'off',
    text: 'login by a mail with six digits (code), a link or both; needs an app URL',
  },
  loginRedirects: {
    ...list('urls', loginRedirects),
    title: 'login redirects',
    empty: '/login of the app',
    confirms: true,
    text: 'URLs to which logins at providers return, by commas, or "none" for /login of the app',
  },
})

const limits = settingsOf({
  botCheck: {
    ...choice('rule', 'off', 'auto', 'always'),
    title: 'bot check',
    default: 'auto',
    text: 'whether who signs up or requests a mail needs a proof of work: never, if the client network has used half of a limit (auto), or always',
  },
  networkFailuresPerHour: {
    ...perHour,
    title: 'network failures per hour',
    default: 300,
    text: 'maximum failed logins and sign-ups per client network, over all accounts; 0 for no limit',
  },
  signUpsPerHour: {
    ...perHour,
    title: 'sign-ups per hour',
    default: 100,
    text: 'maximum sign-ups per client network, except those with an invitation; 0 for no limit',
  },
  mailsPerHour: {
    ...perHour,
    title: 'mails per hour',
    default: 1000,
    text: 'maximum mails that clients may request for all users; 0 for no limit',
  },
})

const factors = settingsOf({
  secondFactor: {
    ...choice('rule', 'off', 'optional', 'required'),
    title: 'second factor',
    default: 'optional',
    confirms: true,
    text: 'whether users have second factors (optional), and must have one (required)',
  },
  secondFactorGrace: {
    ...number(0, 31_536_000, 'seconds'),
    title: 'second factor grace',
    default: 0,
    confirms: true,
    text: 'time after sign-up in which a required second factor may be missing, 0 to 31536000',
  },
  passkeyDomain: {
    ...text('domain', passkeyDomain, 'default'),
    title: 'passkey domain',
    empty: 'the host of the app URL',
    confirms: true,
    text: 'domain of passkeys, or "default" for the host of the app URL; those of another domain stop working',
  },
  passkeyOrigins: {
    ...list('origins', passkeyOrigins, 'default'),
    title: 'passkey origins',
    empty: 'that of the app URL',
    confirms: true,
    text: 'origins of apps in which passkeys are used, by commas, or "default" for that of the app URL',
  },
})

const tokens = settingsOf({
  tokenMaxAge: {
    ...tokenSeconds,
    schema: tokenSeconds.schema.nullable(),
    title: 'token max age',
    default: null,
    words: { default: null },
    empty: 'the server’s TOKEN_MAX_AGE',
    text: 'lifetime of tokens, 60 to 86400, or "default" for the server’s TOKEN_MAX_AGE',
  },
  signingAlgorithm: {
    ...choice('name', 'ES256', 'RS256', 'EdDSA'),
    title: 'signing algorithm',
    default: 'ES256',
    text: 'algorithm of signing keys created from now on',
  },
  sessionIdle: {
    ...sessionSeconds,
    title: 'session idle',
    default: 1_209_600,
    text: 'time without a refresh after which a session ends',
  },
  sessionMax: {
    ...sessionSeconds,
    schema: z.literal(0).or(sessionSeconds.schema),
    title: 'session max',
    default: 7_776_000,
    empty: 'no sessions',
    text: 'time after its login at which a session ends; 0 for no sessions',
  },
  sessionsPerUser: {
    ...number(1, 100),
    title: 'sessions per user',
    default: 100,
    text: 'maximum sessions per user; opening another one ends the longest unused one',
  },
  claims: {
    kind: 'json',
    placeholder: 'json',
    schema: fixedClaims,
    title: 'claims',
    default: {},
    confirms: true,
    text: 'JSON object of claims for every token, such as {"role":"authenticated"}',
  },
  claimSources: {
    ...list('sources', claimSources),
    title: 'claim sources',
    confirms: true,
    text: 'claims of a user or tenant, by commas, such as "plan=user.metadata.plan,tier=tenant.privateMetadata.tier", or "none"',
  },
})

const tenants = settingsOf({
  tenantOperations: {
    ...toggle,
    title: 'tenant operations',
    default: true,
    text: 'whether users can create tenants, see their members and change them',
  },
  roles: {
    ...list('names', ownRoles),
    title: 'roles',
    text: 'up to 8 roles that the product adds, such as "billing,viewer", or "none"',
  },
  requireVerifiedInviter: {
    ...toggle,
    title: 'require verified inviter',
    default: true,
    text: 'whether users can invite only after they have verified their address',
  },
  invitationLifetime: {
    ...number(3_600, 2_592_000, 'seconds'),
    title: 'invitation lifetime',
    default: 604_800,
    text: 'time for which an invitation can be accepted, 3600 to 2592000',
  },
  singleSignOn: {
    ...toggle,
    title: 'single sign-on',
    default: false,
    confirms: true,
    text: 'whether tenants can have single sign-on; backends that verify tokens must know tokens of a tenant first',
  },
  ssoRouting: {
    ...toggle,
    title: 'SSO routing',
    default: true,
    text: 'whether anyone may learn which mail domains belong to tenants with single sign-on',
  },
})

/**
 * The notices: mails without a code about changes of the account, with the setting that turns them on. A database without app URL
 * sends none. The column of a new setting is false, so that an upgrade sends no mails to users of existing databases.
 */
export const notices = {
  noticePasswordChanged: {
    title: 'notice password changed',
    when: 'after the password was changed or reset',
    mails: ['password_changed'],
  },
  // The former address always gets one.
  noticeEmailChanged: {
    title: 'notice email changed',
    when: 'at the new address after the address was changed',
    mails: ['email_changed'],
  },
  noticeNewNetwork: {
    title: 'notice new network',
    when: 'after a login from a new network',
    mails: ['new_network'],
    isOff: true,
  },
  noticeSessionReused: {
    title: 'notice session reused',
    when: 'after a session ended because a refresh token was used twice',
    mails: ['session_reused'],
  },
  noticeFactor: {
    title: 'notice factor',
    when: 'after a second factor was added or removed',
    mails: ['factor_added', 'factor_removed', 'recovery_codes_created'],
  },
  noticeSecondStep: {
    title: 'notice second step',
    when: 'after the second step of a login has failed three times in a row',
    mails: ['second_step_failed'],
  },
  noticeIdentity: {
    title: 'notice identity',
    when: 'after an identity of a provider was linked or removed',
    mails: ['identity_linked', 'identity_removed'],
  },
  noticeAccountDeleted: {
    title: 'notice account deleted',
    when: 'after the account was deleted',
    mails: ['account_deleted'],
  },
} as const
type NoticeSetting = keyof typeof notices

const noticeSettings = Object.fromEntries<Setting<z.ZodBoolean>>(
  Object.entries<{ title: string; when: string; isOff?: true }>(notices).map(
    ([name, { title, when, isOff }]) => [
      name,
      { ...toggle, title, default: !isOff, text: `whether users get a mail ${when}` },
    ],
  ),
) as Record<NoticeSetting, Setting<z.ZodBoolean>>

const app = settingsOf({
  appUrl: {
    ...text('url', appUrl),
    title: 'app URL',
    confirms: true,
    text: 'URL of the app to which links in mails lead, or "none"',
  },
})

const events = settingsOf({
  webhookUrl: {
    ...text('url', webhookUrl),
    title: 'webhook URL',
    confirms: true,
    text: 'URL to which servers post the events of the database, or "none"; the first URL also creates a secret, which is shown once',
  },
  eventsKept: {
    ...number(0, 90, 'days'),
    title: 'events kept',
    default: 0,
    text: 'days for which the management API lists events, 0 to 90; 0 to keep none',
  },
})

/** The settings by group, in the order in which the command line, the console and the documents show them. */
export const settingGroups = {
  'Sign-up and login': logins,
  'Limits against abuse': limits,
  'Second factor and passkeys': factors,
  'Tokens and sessions': tokens,
  'Tenants and invitations': tenants,
  'App and mails': { ...app, ...noticeSettings },
  'Webhook and events': events,
}

/** The document about each group, in the repository. */
export const settingGuides: Readonly<Record<keyof typeof settingGroups, string>> = {
  'Sign-up and login': 'docs/guides/sign-in.md',
  'Limits against abuse': 'docs/limits.md',
  'Second factor and passkeys': 'docs/guides/second-factor.md',
  'Tokens and sessions': 'docs/guides/sessions.md',
  'Tenants and invitations': 'docs/guides/provisioning.md',
  'App and mails': 'docs/guides/mail.md',
  'Webhook and events': 'docs/guides/webhooks.md',
}

/** The settings of a database. */
export const settings = {
  ...logins,
  ...limits,
  ...factors,
  ...tokens,
  ...tenants,
  ...app,
  ...noticeSettings,
  ...events,
}

export type SettingName = keyof typeof settings
/** The values of all settings. */
export type DatabaseSettings = { [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> }

/** Settings by name. */
export const settingEntries = Object.entries(settings) as [SettingName, Setting][]

/** The values of a new database. */
export const defaultSettings = Object.fromEntries(
  settingEntries.map(([name, each]) => [name, each.default]),
) as DatabaseSettings
