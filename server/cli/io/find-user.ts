import { canonicalEmail, type DatabasePath } from '@usher/contract'
import type { ManagedUser } from '@usher/contract/management'
import { validate as isUuid } from 'uuid'
import { invalidField, Problem, userNotFound } from '../../domain/problem.js'
import type { Call } from './cli.js'

/**
 * Returns the id of a user.
 *
 * @param userRef id or email address
 * @throws {Problem} `validation_failed` if it is neither; `user_not_found` if nobody has the address
 */
export async function findUserId(call: Call, params: DatabasePath, userRef: string): Promise<string> {
  const email = canonicalEmail(userRef.trim())
  if (!email) {
    if (isUuid(userRef)) return userRef.toLowerCase()
    const rule = 'is neither a user id nor an email address'
    throw new Problem('validation_failed', {
      detail: `${userRef} ${rule}`,
      errors: [invalidField('userId', rule)],
    })
  }
  const { users } = await call('listUsers', { params, query: { email } })
  if (!users[0]) throw userNotFound(params, userRef)
  return users[0].id
}

/** Returns a user with tenants and failed logins. @throws {Problem} as {@link findUserId} */
export async function findUser(call: Call, path: DatabasePath, userRef: string): Promise<ManagedUser> {
  const userId = await findUserId(call, path, userRef)
  const request = { params: { ...path, userId }, query: { failedLogins: 'true' as const } }
  return call('getUser', request).catch((error) => {
    throw isUnknown(error) ? userNotFound(path, userRef) : error
  })
}

const isUnknown = (error: unknown) => error instanceof Problem && error.code === 'user_not_found'
