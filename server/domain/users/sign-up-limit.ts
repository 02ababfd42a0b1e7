import type { CreateUserBody } from '@usher/contract'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import type { CountRequest } from '../throttle/request-allowance.js'

/**
 * Signs a user up, and counts that in the same transaction unless there is an invitation: these have limits of their own.
 *
 * @param signUp calls `count`, if there is one, in its transaction
 * @throws {Problem} `too_many_sign_ups`
 */
export async function signUpWithinLimit<Result extends object>(
  context: AppContext,
  { database, body, caller }: DatabaseRequest<Pick<CreateUserBody, 'invitationCode'>>,
  signUp: (count?: CountRequest) => Promise<Result>,
): Promise<Result> {
  if (database.signUpsPerHour === 0 || body.invitationCode) return signUp()
  const limited = { purpose: 'sign_up', clientAddress: caller.clientAddress } as const
  const signedUp = await context.requestAllowance.count(database, limited, signUp)
  if ('limit' in signedUp)
    throw new Problem('too_many_sign_ups', { retryAfterSeconds: signedUp.retryAfterSeconds })
  return signedUp
}
