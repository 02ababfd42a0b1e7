import { CreateUserBody, type FieldError, toFieldError } from '@usher/contract'
import type { Client } from '../caller.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { passwordErrors } from '../passwords/policy.js'
import { invalidField, validationFailed } from '../problem.js'
import { createHashFilter } from './imported-hashes.js'
import { LineError } from './line-error.js'

/** What an operator may set as the password of a user. */
export interface PasswordOrHash {
  password?: string | undefined
  /** A hash of another system, instead of the password. */
  passwordHash?: string | undefined
}

type Hashing = Pick<AppContext, 'hashing' | 'blocklist'>

/**
 * Returns the dummy hash with the parameters of the hash that a new password gets. Returns undefined for a user without one.
 *
 * @param given.sendMail whether the user gets a code to choose a password, so that none may be given
 * @throws {Problem} with everything that is wrong with the password or the hash
 */
export async function requirePassword(
  { hashing, blocklist }: Hashing,
  database: Pick<RuleDatabase, 'passwordPolicy' | 'dummyHashes'>,
  {
    email,
    password,
    passwordHash,
    sendMail = false,
  }: PasswordOrHash & { email: string; sendMail?: boolean | undefined },
): Promise<string | undefined> {
  const errors: FieldError[] = []
  let dummyHash: string | undefined
  if (password !== undefined) {
    errors.push(...(await passwordErrors(blocklist, database, { password, email, field: 'password' })))
    if (errors.length === 0) errors.push(...textErrors(password))
    dummyHash = hashing.dummyHash
  }
  if (passwordHash !== undefined) {
    if (password !== undefined) errors.push(invalidField('passwordHash', 'must not be given with `password`'))
    const checked = checkHash({ hashing }, database, passwordHash)
    if (typeof checked === 'string') dummyHash = checked
    else errors.push(...checked)
  }
  if (sendMail && (password ?? passwordHash) !== undefined)
    errors.push(invalidField('sendMail', 'must not be true for a user with a password'))
  if (errors.length > 0) throw validationFailed(errors)
  return dummyHash
}

/** Returns the hash to store, or null for a user without a password. */
export const hashOf = async (
  { hashing }: Hashing,
  { password, passwordHash }: PasswordOrHash,
  client?: Client,
) => passwordHash ?? (password === undefined ? null : hashing.hash(password, client))

/** Returns what is wrong with a password as a text. */
const textErrors = (password: string) =>
  CreateUserBody.shape.password
    .safeParse(password)
    .error?.issues.map((issue) => ({ ...toFieldError(issue), path: 'password' })) ?? []

/** Returns the dummy hash of a hash, or the errors of one that is rejected. */
function checkHash(
  { hashing }: Pick<Hashing, 'hashing'>,
  { dummyHashes }: Pick<RuleDatabase, 'dummyHashes'>,
  passwordHash: string,
) {
  try {
    return createHashFilter(hashing, dummyHashes)(passwordHash)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    return error.errors
  }
}
