import { isDeepStrictEqual } from 'node:util'
import { mailSettingEntries, type Setting, settingEntries } from '@usher/contract/settings'

// Stand for a database, for one that may be deleted, for an id that nothing has, and for the address of a user and a file with a user.
export const [database, doomed, id, taken, file] = ['DATABASE', 'DOOMED', 'ID', 'ADDRESS', 'FILE']

const onUser = `${database} ${id}`
const onTenant = onUser

/**
 * What is typed for each command, with the options that could need other rights. What they name does not exist or is not changed.
 */
export const commands: Readonly<Record<string, readonly string[]>> = {
  'workspace create': ['own'],
  'workspace list': [''],
  'workspace delete': ['none'],
  'database create': [database],
  'database list': [''],
  'database show': [database],
  'database set': [`${database} --session-idle 1209600`],
  'database delete': [`${doomed} --yes`],
  'user import': [`${database} ${file}`, `${database} ${file} --dry-run`],
  'user export': [database, `${database} --totp-secrets`],
  'user create': [`${database} ${taken}`, `${database} ${taken} --no-password`],
  'user list': [database],
  'user show': [onUser],
  'user factors': [onUser],
  'user disable': [onUser],
  'user enable': [onUser],
  'user remove-factors': [onUser],
  'user revoke-tokens': [onUser],
  'user send-reset': [onUser],
  'user unlock': [onUser],
  'user set-email': [`${onUser} new@example.com`, `${onUser} new@example.com --no-undo`],
  'user delete': [`${onUser} --yes`],
  'user set-password': [onUser],
  'tenant create': [`${database} Looms`],
  'tenant list': [database],
  'tenant rename': [`${onTenant} Mills`],
  'tenant delete': [`${onTenant} --yes`],
  'tenant set-seats': [`${onTenant} 5`],
  'tenant list-users': [onTenant],
  'tenant add-user': [`${onTenant} ${id}`, `${onTenant} ${id} --role owner`],
  'tenant remove-user': [`${onTenant} ${id}`],
  'tenant list-invitations': [onTenant],
  'tenant invite': [`${onTenant} new@example.com`],
  'tenant revoke-invitation': [`${onTenant} ${id}`],
  'tenant sso portal': [onTenant],
  'tenant sso show': [onTenant],
  'tenant sso set': [`${onTenant} --jit on`],
  'tenant sso add-connection': [`${onTenant} --client-id none --issuer https://none.example`],
  'tenant sso set-connection': [`${onTenant} ${id} --title None`],
  'tenant sso check-connection': [`${onTenant} ${id}`],
  'tenant sso remove-connection': [`${onTenant} ${id} --yes`],
  'tenant sso add-domain': [`${onTenant} acme.example`],
  'tenant sso check-domain': [`${onTenant} acme.example`],
  'tenant sso move-domain': [`${onTenant} acme.example`],
  'tenant sso remove-domain': [`${onTenant} acme.example`],
  'hook test': [database],
  'mail preview': [database],
  'outbox list': [database],
  'outbox retry': [`${database} ${id}`, `${database} --not-retried`],
  'outbox drop': [`${database} ${id}`, `${database} --not-retried`],
  'events expire-cursors': [database, ''],
  'keys list': [database],
  'keys rotate': [
    '',
    ' --activate-in 604800',
    ' --activate-in 3600',
    ' --activate-in 3599',
    ' --activate-in 0',
  ].map((options) => database + options),
  'keys retire': [`${database} none`],
  'connection add': [`${database} none --client-id none --preset apple`],
  'connection list': [database],
  'connection set': [`${database} none --title None`, `${database} none --state disabled`],
  'connection check': [`${database} none`],
  'connection remove': [`${database} none --yes`],
  'api-key create': [
    `${database} --name backend --scope users:read`,
    `${database} --name backend --scope credentials:write`,
  ],
  'api-key list': [database],
  'api-key rotate': [`${database} ${id}`],
  'api-key revoke': [`${database} ${id}`],
  'operator list': [''],
  'operator add': ['added@example.com'],
  'operator reset': ['nobody@example.com'],
  'operator remove': ['nobody@example.com'],
}

/** Commands that no server runs. */
export const alone = ['serve', 'migrate', 'keys rewrap', 'login', 'logout', 'store distribute', 'openapi']

/** Returns the text of the default of a setting. */
const defaultText = ({ default: value, words = {} }: Setting) =>
  Object.keys(words).find((word) => isDeepStrictEqual(words[word], value)) ??
  (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** The options of `database create` and `database set`, with the value that each database has. */
export const databaseOptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...settingEntries, ...mailSettingEntries].map(([name, setting]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      defaultText(setting),
    ]),
  ),
  'sign-ups-per-hour': '0',
  'mail-templates': 'none',
  // It needs a setting.
  force: '--session-idle 1209600',
  'new-webhook-secret': '',
}

/** Those of `database create`, which makes no second secret, and has no passkeys that a change could break. */
export const createOptions = Object.keys(databaseOptions).filter(
  (option) => !['force', 'new-webhook-secret'].includes(option),
)
