import type {
  AddedFactor,
  AddPasskeyBody,
  AddTotpBody,
  ConfirmationBody,
  ConfirmedUser,
  EnrolledPasskey,
  EnrolledTotp,
  EnrolPasskeyBody,
  EnrolTotpBody,
  Factor,
  FactorList,
  FactorPath,
  RecoveryCodes,
  RenameFactorBody,
  SetSecondFactorBody,
} from '@usher/contract'
import { lockUser } from '../../store/queries/changed-user.js'
import {
  countRecoveryCodes,
  deleteFactor,
  deleteFactors,
  findFactors,
  findOtherProofs,
  type ListedFactor,
  markFactor,
  type NewPasskey,
  type NewTotp,
  renameFactor as renameRow,
  replaceRecoveryCodes,
  setSecondStep,
} from '../../store/queries/factors.js'
import type { Revoked } from '../../store/queries/revocations.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { type Change, type Outcome, type Rule, requireLocked, runChange } from '../change.js'
import type { Connection } from '../connections/connection.js'
import { requireEnabled } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { canReturn } from '../invitations/accept.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { Authentication, enrolmentDueAt, missingStep } from '../tokens/authentication.js'
import { requireWayIn } from '../ways-in.js'
import { confirmedUser, confirmSecondFactor, confirmUser } from './confirm.js'
import type { Enroller, Enrolment, EnrolRequest, FactorKind } from './kind.js'
import { passkey, shownPasskey } from './passkey.js'
import { findUserAndNetwork } from './prove.js'
import { newRecoveryCodes } from './recovery-code.js'
import { requireFirstStep } from './step.js'
import { totp } from './totp.js'

/** Returns a factor as its user sees it. */
export const shownFactor = (factor: ListedFactor): Factor => ({
  id: factor.id,
  kind: factor.kind,
  name: factor.name,
  createdAt: factor.createdAt.toISOString(),
  lastUsedOn: factor.lastUsedOn?.toISOString().slice(0, 10) ?? null,
  ...(factor.kind === 'passkey' && { passkey: shownPasskey(factor) }),
})

/** Returns the factors of the user of a token. */
export async function listFactors({ store, now }: AppContext, request: UserRequest): Promise<FactorList> {
  const { database, user } = request
  const key = { databaseId: database.id, userId: user.id }
  return {
    factors: (await findFactors(store, key)).map(shownFactor),
    ...(await findOtherProofs(store, key)),
    secondFactor: {
      on: missingStep(database, user, now()) === 'second_factor_required',
      dueAt: enrolmentDueAt(database, user)?.toISOString() ?? null,
    },
  }
}

/** Renames a factor of the user of a token. @throws {Problem} `factor_not_found` */
export async function renameFactor(
  { store }: AppContext,
  { database, user, params, body }: UserRequest<RenameFactorBody> & { params: FactorPath },
): Promise<Factor> {
  const key = { databaseId: database.id, userId: user.id, id: params.factorId }
  const factor = await renameRow(store, key, body.name)
  if (!factor) throw new Problem('factor_not_found')
  return shownFactor(factor)
}

/**
 * Returns a new secret for an authenticator app. Stores nothing.
 *
 * @throws {Problem} those of `requireEnroller`
 */
export const enrolTotp = (context: AppContext, request: EnrolRequest<EnrolTotpBody>): Promise<EnrolledTotp> =>
  enrol(context, request, totp)

/**
 * Returns what a browser needs to create a passkey. Stores nothing.
 *
 * @throws {Problem} those of `requireEnroller`
 */
export const enrolPasskey = (
  context: AppContext,
  request: EnrolRequest<EnrolPasskeyBody>,
): Promise<EnrolledPasskey> => enrol(context, request, passkey)

async function enrol<Begun>(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
  kind: Pick<FactorKind<never, Begun, never>, 'name' | 'most' | 'begin'>,
) {
  return kind.begin(context, request, await requireEnroller(context, request, kind))
}

/**
 * Adds an authenticator app to a user who has proven to have it. Revokes all tokens and sessions, because a thief may have one.
 *
 * @throws {Problem} `challenge_invalid`; `second_factor_invalid`; `email_not_verified`; `token_missing` if no login has demanded it
 */
export const addTotp = (context: AppContext, request: EnrolRequest<AddTotpBody>): Promise<AddedFactor> =>
  addFactor(context, request, totp)

/**
 * Adds a passkey that a browser has created. Tokens and sessions continue: the passkey does not turn the second step of logins on.
 *
 * @throws {Problem} `challenge_invalid`; `passkey_invalid`; `email_not_verified`; `token_missing` if no login has demanded it
 */
export const addPasskey = (
  context: AppContext,
  request: EnrolRequest<AddPasskeyBody>,
): Promise<AddedFactor> => addFactor(context, request, passkey)

/**
 * Returns who enrols a factor.
 *
 * @throws {Problem} `token_missing` without a token and a challenge; those of `confirmUser`; `challenge_invalid`; `email_not_verified`;
 * `factors_full`
 */
async function requireEnroller(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
  { name, most }: Pick<FactorKind<never, never, never>, 'name' | 'most'>,
): Promise<Enroller> {
  const { user, proven } = await findEnroller(context, request)
  requireOwnAddress(request.database, user)
  const factors = await findFactors(context.store, { databaseId: request.database.id, userId: user.id })
  // The login demanded the first factor, and another request has added it.
  if (proven.tokenId !== undefined && factors.length > 0) throw new Problem('challenge_invalid')
  if (factors.filter(({ kind }) => kind === name).length >= most) throw new Problem('factors_full')
  return { user, proven: { ...proven, factors: factors.length }, factors }
}

async function findEnroller(
  context: AppContext,
  request: EnrolRequest<EnrolTotpBody>,
): Promise<{
  user: { id: string; email: string; emailVerifiedAt: Date | null }
  proven: Omit<Enrolment, 'id' | 'factors' | 'expiresAt'>
}> {
  const { database, body, user, claims } = request
  const { challenge } = body
  if (challenge === undefined) {
    if (!user || !claims) throw new Problem('token_missing')
    const { amr } = await confirmUser(context, { ...request, user, claims }, body)
    return { user, proven: { userId: user.id, generation: user.generation, amr } }
  }
  const first = await requireFirstStep(context, database, { code: 'enrolment_required', challenge })
  const { userId, generation, expiresAt: _, ...more } = first
  const { user: found } = await findUserAndNetwork(context, request, userId)
  if (found?.generation !== generation) throw new Problem('challenge_invalid')
  return { user: found, proven: { userId, generation, ...more } }
}

/**
 * Requires a verified address if a mail to it logs in: the first proof of the address would remove the factor.
 *
 * @throws {Problem} `email_not_verified`
 */
function requireOwnAddress(database: RuleDatabase, user: { emailVerifiedAt: Date | null }) {
  if (user.emailVerifiedAt === null && canReturn(database)) throw new Problem('email_not_verified')
}

/**
 * Adds a factor. The first one also creates recovery codes. If a login has demanded the factor, this is its end.
 *
 * @throws {Problem} `challenge_invalid`; `email_not_verified`; those of the kind
 */
async function addFactor<Body, New extends NewTotp | NewPasskey>(
  context: AppContext,
  request: EnrolRequest<Body>,
  kind: FactorKind<Body, unknown, New>,
): Promise<AddedFactor> {
  const { enrolment, factor } = await kind.read(context, request)
  const { userId, amr, tokenId } = enrolment
  const at = factor.createdAt.getTime()
  const isLogin = tokenId !== undefined
  const network = isLogin ? await findUserAndNetwork(context, request, userId) : undefined
  const { user, recoveryCodes } = await runChange(context, request, (change) =>
    add(change, enrolment, { turnsOn: kind.turnsOn, insert: () => kind.insert(change, factor) }),
  )
  const confirmed = await confirmedUser(context, request, {
    user: { ...user, disabledAt: null },
    authentication: Authentication.afterSecondStep(user, amr, { way: kind.amr, at }),
    readAt: at,
    ...(isLogin && { tokenId, event: 'login.succeeded' }),
    ...(network?.user && { network: { ...network.network, user: network.user } }),
  })
  return { ...confirmed, factor: shownFactor({ ...factor, lastUsedOn: null }), recoveryCodes }
}

interface Added {
  user: UserOfToken
  recoveryCodes: string[] | null
}

async function add(
  change: Change,
  { userId, generation, factors, connection }: Enrolment,
  { turnsOn, insert }: { turnsOn: boolean; insert: () => Promise<unknown> },
): Promise<Outcome<Added>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const locked = await lockUser(change, { databaseId: database.id, id: userId }, 'NO KEY UPDATE')
  if (locked?.generation !== generation || locked.disabledAt) throw new Problem('challenge_invalid')
  if (connection) await requireEnabled(change, connection, 'challenge_invalid')
  requireOwnAddress(database, locked)
  if ((await findFactors(change, key)).length !== factors) throw new Problem('challenge_invalid')
  await insert()
  const { codes, hashes } = newRecoveryCodes()
  const hasCodes = (await countRecoveryCodes(change, key)) > 0
  if (!hasCodes) await replaceRecoveryCodes(change, key, hashes)
  // This revokes all tokens, so a secret is added once.
  if (turnsOn) await setSecondStep(change, key, { needsSecondStep: true, now })
  else await markFactor(change, key)
  const user = (await findUserOfToken(change, { databaseId: database.id, id: userId })) as UserOfToken
  const { email: recipient, emailVerifiedAt } = locked
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now }
  return {
    result: { user, recoveryCodes: hasCodes ? null : codes },
    facts: [{ type: 'user.factor_added', userId }],
    mails: noticeMessages(database, 'factor_added', notified),
  }
}

/** Replaces the recovery codes of the user of a token. @throws {Problem} `step_up_required`; `factor_needed` */
export async function createRecoveryCodes(
  context: AppContext,
  request: UserRequest<ConfirmationBody>,
): Promise<RecoveryCodes> {
  const { database, user, body } = request
  await confirmSecondFactor(context, request, body.confirmation)
  const { codes, hashes } = newRecoveryCodes()
  await runChange(context, request, async (change) => {
    const notified = await requireFactor(change, user.id)
    await replaceRecoveryCodes(change, { databaseId: database.id, userId: user.id }, hashes)
    return {
      result: undefined,
      facts: [{ type: 'user.recovery_codes_created', userId: user.id }],
      mails: noticeMessages(database, 'recovery_codes_created', notified),
    }
  })
  return { codes }
}

/** Locks a user who must have a factor. Returns who gets a notice, and what the user logs in with. @throws {Problem} `factor_needed` */
async function requireFactor(change: Change, userId: string) {
  const { email: recipient, emailVerifiedAt, passwordHash } = await requireLocked(change, userId)
  const factors = await findFactors(change, { databaseId: change.database.id, userId })
  if (factors.length === 0) throw new Problem('factor_needed')
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now: change.now }
  return { ...notified, passwordHash, factors }
}

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
