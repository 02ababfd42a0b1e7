import type { RuleDatabase } from '../databases/find-database.js'
import type { Secrets } from '../keys/database-secrets.js'
import { readSignedValue, signedValue } from '../keys/signed-text.js'

/** How long the link with which the first operator is created is valid. */
const setupMilliseconds = 24 * 3_600_000

/** Returns a page of the console with a code, which no server of the way gets to see. */
export const codeLink = (
  { appUrl }: Pick<RuleDatabase, 'appUrl'>,
  page: 'setup' | 'reset-password',
  code: string,
) => `${appUrl}/${page}#code=${code}`

/** Returns the link with which the first operator is created. */
export const setupLink = (database: Pick<RuleDatabase, 'appUrl'>, secrets: Secrets, now: number) =>
  codeLink(database, 'setup', signedValue(secrets, 'console_setup', { expiresAt: now + setupMilliseconds }))

/** Returns whether a code is that of a link of `setupLink`, and is still valid. */
export const isSetupCode = (secrets: Secrets, code: string, now: number) =>
  readSignedValue(secrets, { purpose: 'console_setup', text: code, now }) !== undefined
