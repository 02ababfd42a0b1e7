import type { AddedFactor } from '@usher/contract'
import { lockUser } from '../../store/queries/changed-user.js'
import {
  countRecoveryCodes,
  findFactors,
  insertFactor,
  markFactor,
  type NewFactor,
  replaceRecoveryCodes,
  setSecondStep,
} from '../../store/queries/factors.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { type Change, type Outcome, runChange } from '../change.js'
import { requireEnabled } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { requireDomainOf } from '../databases/require-same-domain.js'
import { canReturn } from '../invitations/accept.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { type Amr, Authentication, type Proven } from '../tokens/authentication.js'
import { confirmedUser } from './confirm.js'
import { shownFactor } from './factors.js'
import { newRecoveryCodes } from './recovery-codes.js'
import { findUserAndNetwork } from './verify-proof.js'

/** Factors of a user, by kind. Each authenticator app gives a guess as many chances more. */
export const mostFactors = { totp: 2, passkey: 10 } as const

/** A request that enrols a factor: that of a user, or the end of a login that has demanded the factor. */
export type EnrolRequest<Body> = DatabaseRequest<Body> & Partial<UserRequest>

/** What the request before has found out, and has given to the client as signed text. */
export interface Enrolment extends Pick<Proven, 'amr'> {
  id: string
  userId: string
  generation: number
  /** How many factors the user had. Another one since then ends it: it was not asked for. */
  factors: number
  /** The connection of a login at a provider. */
  connection?: string
  /** The id of the token, if this is the end of a login. Otherwise the request has a token. */
  tokenId?: string
  expiresAt: number
}

/**
 * Requires a verified address if a mail to it logs in: the first proof of the address would remove the factor.
 *
 * @throws {Problem} `email_not_verified`
 */
export function requireOwnAddress(database: RuleDatabase, user: { emailVerifiedAt: Date | null }) {
  if (user.emailVerifiedAt === null && canReturn(database)) throw new Problem('email_not_verified')
}

/** @throws {Problem} `challenge_invalid`; `token_missing` if no login has demanded the factor */
export function requireEnrolment<Content extends Enrolment>(
  enrolment: Content | undefined,
  { user }: EnrolRequest<unknown>,
): Content {
  if (!enrolment) throw new Problem('challenge_invalid')
  if (enrolment.tokenId === undefined && !user) throw new Problem('token_missing')
  if (user && user.id !== enrolment.userId) throw new Problem('challenge_invalid')
  return enrolment
}

/** A factor that the user has just proven to have. */
interface ProvenFactor {
  enrolment: Enrolment
  factor: NewFactor
  way: Amr
  at: number
}

/**
 * Adds a factor. The first one also creates recovery codes. If a login has demanded the factor, this is its end.
 *
 * @throws {Problem} `challenge_invalid`; `email_not_verified`; `passkey_invalid` if the domain of passkeys has changed
 */
export async function addFactor(
  context: AppContext,
  request: EnrolRequest<unknown>,
  { enrolment, factor, way, at }: ProvenFactor,
): Promise<AddedFactor> {
  const { userId, amr, tokenId } = enrolment
  const isLogin = tokenId !== undefined
  const network = isLogin ? await findUserAndNetwork(context, request, userId) : undefined
  const { user, recoveryCodes } = await runChange(context, request, (change) =>
    add(change, factor, enrolment),
  )
  const confirmed = await confirmedUser(context, request, {
    user: { ...user, disabledAt: null },
    authentication: Authentication.afterSecondStep(user, amr, { way, at }),
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
  factor: NewFactor,
  { generation, factors, connection }: Enrolment,
): Promise<Outcome<Added>> {
  const { database, now } = change
  const { userId, kind } = factor
  const key = { databaseId: database.id, userId }
  const locked = await lockUser(change, { databaseId: database.id, id: userId }, 'NO KEY UPDATE')
  if (locked?.generation !== generation || locked.disabledAt) throw new Problem('challenge_invalid')
  if (connection) await requireEnabled(change, connection, 'challenge_invalid')
  requireOwnAddress(database, locked)
  if ((await findFactors(change, key)).length !== factors) throw new Problem('challenge_invalid')
  if (factor.kind === 'passkey') await requireDomainOf(change, factor.domain)
  await insertFactor(change, factor)
  const { codes, hashes } = newRecoveryCodes()
  const hasCodes = (await countRecoveryCodes(change, key)) > 0
  if (!hasCodes) await replaceRecoveryCodes(change, key, hashes)
  // An app turns the second step of logins on, and revokes all tokens, because a thief may have one. So a secret is added once.
  if (kind === 'totp') await setSecondStep(change, key, { needsSecondStep: true, now })
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
