import type { ConfirmationBody, ConfirmedUser, FactorPath, SetSecondFactorBody } from '@usher/contract'
import { deleteFactor, deleteFactors, setSecondStep } from '../../store/queries/factors.js'
import type { Revoked } from '../../store/queries/revocations.js'
import { type Change, type Outcome, type Rule, runChange } from '../change.js'
import type { Connection } from '../connections/connection.js'
import type { AppContext } from '../context.js'
import { requireLocked } from '../locked-user.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { requireWayIn } from '../ways-in.js'
import { confirmedUser, confirmSecondFactor } from './confirm.js'
import { requireFactor } from './factors.js'

/**
 * Removes a factor of the user of a token. With the last one, logins need no second step.
 *
 * @throws {Problem} `step_up_required`; `factor_not_found`; `last_login_method`; `factor_needed` if the database requires one
 */
export async function removeFactor(context: AppContext, request: RemoveRequest) {
  const connections = await context.findConnections(request.database.id)
  return changeAndRenew(context, request, (change) => removeOne(change, request, connections))
}

type RemoveRequest = UserRequest<ConfirmationBody> & { params: FactorPath }

async function removeOne(
  change: Change,
  { user: { id: userId, needsSecondStep }, params }: RemoveRequest,
  connections: readonly Connection[],
): Promise<Outcome<Revoked>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const { factors, passwordHash, ...notified } = await requireFactor(change, userId)
  if (!(await deleteFactor(change, { ...key, id: params.factorId }))) throw new Problem('factor_not_found')
  const isLast = factors.length === 1
  if (factors.some(({ id, kind }) => id === params.factorId && kind === 'passkey'))
    await requireWayIn(change, { ...notified, passwordHash, connections })
  if (isLast && database.secondFactor === 'required') throw new Problem('factor_needed')
  if (isLast) await deleteFactors(change, key)
  const step = isLast ? null : needsSecondStep
  return {
    result: (await setSecondStep(change, key, { needsSecondStep: step, now })) as Revoked,
    facts: [{ type: 'user.factor_removed', userId }],
    mails: noticeMessages(database, 'factor_removed', notified),
  }
}

/**
 * Sets whether logins of the user of a token need a second step.
 *
 * @throws {Problem} `step_up_required`; `factor_needed` without a factor, and if the database requires one
 */
export const setSecondFactor = (context: AppContext, request: UserRequest<SetSecondFactorBody>) =>
  changeAndRenew(context, request, async (change) => {
    const { database, now } = change
    const { on } = request.body
    const userId = request.user.id
    await requireFactor(change, userId)
    if (!on && database.secondFactor === 'required') throw new Problem('factor_needed')
    const key = { databaseId: database.id, userId }
    const revoked = (await setSecondStep(change, key, { needsSecondStep: on, now })) as Revoked
    return { result: revoked, facts: [{ type: 'user.second_factor_set', userId }] }
  })

/** Runs a confirmed change that revokes the tokens of the user, and returns a new token. */
async function changeAndRenew(
  context: AppContext,
  request: UserRequest<ConfirmationBody>,
  rule: Rule<Revoked>,
): Promise<ConfirmedUser> {
  const { user, claims, body } = request
  const confirmed = await confirmSecondFactor(context, request, body.confirmation)
  const at = context.now()
  const { generation } = await runChange(context, request, rule)
  return confirmedUser(context, request, {
    user: { ...user, generation, disabledAt: null },
    authentication: Authentication.ofToken(user, claims.proven),
    readAt: at,
    ...(confirmed && { confirmed }),
  })
}

/**
 * Removes all factors of a user who has lost them, for a backend or an operator, and revokes all tokens. Does nothing if the user has
 * none.
 *
 * @returns the number of removed factors
 * @throws {Problem} `user_not_found`
 */
export async function removeFactors(
  change: Change,
  { userId }: { userId: string },
): Promise<Outcome<number>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const { email: recipient, emailVerifiedAt } = await requireLocked(change, userId)
  const removed = await deleteFactors(change, key)
  if (removed === 0) return { result: 0, facts: [] }
  await setSecondStep(change, key, { needsSecondStep: null, now })
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now }
  return {
    result: removed,
    facts: [{ type: 'user.factor_removed', userId }],
    mails: noticeMessages(database, 'factor_removed', notified),
  }
}
