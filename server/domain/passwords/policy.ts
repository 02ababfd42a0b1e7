import { canonicalEmail, type FieldError, type FieldErrorCode } from '@usher/contract'
import type { PasswordPolicy } from '../../store/generated/enums.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { validationFailed } from '../problem.js'
import type { PasswordBlocklist } from './blocklist.js'
import { canonicalPassword, longestPassword } from './normalize.js'

let commonPasswords: Promise<Set<string>> | undefined

/** Returns the list of common passwords. The first sign-up loads it, because it takes 10 MB. */
function loadCommonPasswords() {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  )
  return commonPasswords
}

/** Allowed password lengths in code points, by policy. `nist`: NIST SP 800-63B-4 §3.1.1.2. */
export const passwordLengths = {
  none: { min: 1, max: longestPassword },
  standard: { min: 8, max: longestPassword },
  nist: { min: 15, max: longestPassword },
} satisfies Record<PasswordPolicy, { min: number; max: number }>

/** A new password, and the other values that the policy needs. */
export interface PasswordCandidate {
  password: string
  /** The email address of the user. Ignored if it is invalid. */
  email: unknown
  /** The name of the password's field. */
  field: 'password' | 'newPassword'
}

interface PolicySettings {
  passwordPolicy: PasswordPolicy
}

/** @throws {Problem} `validation_failed` if a new password violates the policy of the database */
export async function requireNewPassword(
  { blocklist }: { blocklist: PasswordBlocklist | undefined },
  database: PolicySettings,
  newPassword: PasswordCandidate,
) {
  const errors = await passwordErrors(blocklist, database, newPassword)
  if (errors.length > 0) throw validationFailed(errors)
}

/**
 * Returns the rules of the password policy that a new password violates. If the length is wrong, returns only that
 * error.
 *
 * @throws {BlocklistError} if the blocklist can no longer be read
 */
export async function passwordErrors(
  blocklist: PasswordBlocklist | undefined,
  { passwordPolicy: policy }: PolicySettings,
  { password, email, field }: PasswordCandidate,
): Promise<FieldError[]> {
  const error = (code: FieldErrorCode, detail: string): FieldError => ({ path: field, code, detail })
  const canonical = canonicalPassword(password)
  const length = [...canonical].length
  const { min, max } = passwordLengths[policy]
  if (length < min) return [{ ...error('too_short', `must have at least ${min} characters`), min }]
  if (length > max) return [{ ...error('too_long', `must have at most ${max} characters`), max }]
  if (policy === 'none') return []
  if (isEmailOrLocalPart(canonical, email)) {
    return [error('password_is_email', 'must not be the email address or its first part')]
  }
  if ((await loadCommonPasswords()).has(canonical.toLowerCase())) {
    return [error('password_too_common', 'must not be a common password')]
  }
  if (await blocklist?.contains(password)) {
    return [error('password_too_common', 'must not be a password known from a data breach')]
  }
  return []
}

function isEmailOrLocalPart(password: string, email: unknown) {
  const key = typeof email === 'string' ? canonicalEmail(email.trim()) : undefined
  if (!key) return false
  const folded = password.normalize('NFC').toLowerCase()
  return folded === key || folded === key.slice(0, key.lastIndexOf('@')) || canonicalEmail(password) === key
}

/**
 * Returns all errors of a body that the contract has rejected. Adds those of the database's password policy if the new
 * password itself is valid by the contract.
 */
export async function newPasswordErrors(
  { blocklist }: AppContext,
  { database, body, field }: { database: Database; body: unknown; field: PasswordCandidate['field'] },
  contractErrors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  const { email, [field]: password } = Object(body) as Record<string, unknown>
  if (typeof password !== 'string' || contractErrors.some(({ path }) => path === field)) return contractErrors
  return [...contractErrors, ...(await passwordErrors(blocklist, database, { password, email, field }))]
}
