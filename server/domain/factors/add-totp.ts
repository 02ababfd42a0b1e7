import type { AddedFactor, AddTotpBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { lockUser } from '../../store/queries/changed-user.js'
import {
  countRecoveryCodes,
  findFactors,
  insertFactor,
  type NewFactor,
  replaceRecoveryCodes,
  setSecondStep,
} from '../../store/queries/factors.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { type Change, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { openDataCipher } from '../keys/data-key.js'
import { readSignedValue } from '../keys/signed-text.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import { Authentication } from '../tokens/authentication.js'
import { confirmedUser } from './confirmed-user.js'
import { type Enrolment, type EnrolRequest, mostTotps } from './enrol-totp.js'
import { shownFactor } from './factors.js'
import { newRecoveryCodes } from './recovery-codes.js'
import { secretOfEnrolment, stepOf } from './totp.js'
import { factorRow, findUserAndNetwork } from './verify-proof.js'

/**
 * Adds an authenticator app to a user who has proven to have it. Revokes all tokens and sessions, because a thief may have one. The
 * first factor also creates recovery codes. If a login has demanded the factor, this is its end.
 *
 * @throws {Problem} `challenge_invalid`; `second_factor_invalid`; `factors_full`; `token_missing` if no login has demanded it
 */
export async function addTotp(context: AppContext, request: EnrolRequest<AddTotpBody>): Promise<AddedFactor> {
  const { database, body } = request
  const { enrolment, secret } = await requireEnrolment(context, request)
  const { userId, amr, tokenId } = enrolment
  const at = context.now()
  const step = await stepOf(secret, body.totp, at)
  if (step === undefined) throw new Problem('second_factor_invalid')
  // Before the transaction, in which a store with one connection could not read them.
  const cipher = await openDataCipher(context.store, database.id, new Date(at))
  const isLogin = tokenId !== undefined
  const network = isLogin ? await findUserAndNetwork(context, request, userId) : undefined
  const id = uuidv7()
  const factor: NewFactor = {
    databaseId: database.id,
    id,
    userId,
    kind: 'totp',
    name: body.name ?? null,
    sealedSecret: cipher.seal(secret, factorRow(database.id, id)),
    lastStep: step,
    createdAt: new Date(at),
  }
  const added = await runChange(context, request, (change) => add(change, factor, enrolment.generation))
  const { user, recoveryCodes } = added
  const confirmed = await confirmedUser(context, request, {
    user: { ...user, disabledAt: null },
    authentication: Authentication.afterSecondStep(user, amr, { way: 'otp', at }),
    readAt: at,
    ...(isLogin && { tokenId, event: 'login.succeeded' }),
    ...(network?.user && { network: { ...network.network, user: network.user } }),
  })
  return { ...confirmed, factor: shownFactor({ ...factor, lastUsedOn: null }), recoveryCodes }
}

/** @throws {Problem} `challenge_invalid`; `token_missing` */
async function requireEnrolment(context: AppContext, { database, body, user }: EnrolRequest<AddTotpBody>) {
  const secrets = await context.findSecrets(database.id)
  const read = { purpose: 'totp_enrolment', text: body.challenge, now: context.now() } as const
  const signed = readSignedValue<Enrolment>(secrets, read)
  if (!signed) throw new Problem('challenge_invalid')
  const { value: enrolment, place } = signed
  if (enrolment.tokenId === undefined && !user) throw new Problem('token_missing')
  if (user && user.id !== enrolment.userId) throw new Problem('challenge_invalid')
  return { enrolment, secret: secretOfEnrolment(secrets, enrolment.id, place) }
}

interface Added {
  user: UserOfToken
  recoveryCodes: string[] | null
}

async function add(change: Change, factor: NewFactor, generation: number): Promise<Outcome<Added>> {
  const { database, now } = change
  const { userId } = factor
  const key = { databaseId: database.id, userId }
  const locked = await lockUser(change, { databaseId: database.id, id: userId }, 'NO KEY UPDATE')
  // A secret is added once, because this raises the generation.
  if (locked?.generation !== generation || locked.disabledAt) throw new Problem('challenge_invalid')
  if ((await findFactors(change, key)).length >= mostTotps) throw new Problem('factors_full')
  await insertFactor(change, factor)
  const { codes, hashes } = newRecoveryCodes()
  const hasCodes = (await countRecoveryCodes(change, key)) > 0
  if (!hasCodes) await replaceRecoveryCodes(change, key, hashes)
  await setSecondStep(change, key, { needsSecondStep: true, now })
  const user = (await findUserOfToken(change, { databaseId: database.id, id: userId })) as UserOfToken
  const { email: recipient, emailVerifiedAt } = locked
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now }
  return {
    result: { user, recoveryCodes: hasCodes ? null : codes },
    facts: [{ type: 'user.factor_added', userId }],
    mails: noticeMessages(database, 'factor_added', notified),
  }
}
