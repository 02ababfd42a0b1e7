import type {
  ConfirmationBody,
  Factor,
  FactorList,
  FactorPath,
  RecoveryCodes,
  RenameFactorBody,
} from '@usher/contract'
import {
  countRecoveryCodes,
  findFactors,
  type ListedFactor,
  type PasskeyIdentity,
  renameFactor as renameRow,
  replaceRecoveryCodes,
} from '../../store/queries/factors.js'
import { type Change, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { requireLocked } from '../locked-user.js'
import { noticeMessages } from '../notices/notice.js'
import { base64url } from '../passkeys/options.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { enrolmentDueAt, missingStep } from '../tokens/authentication.js'
import { confirmSecondFactor } from './confirm.js'
import { newRecoveryCodes } from './recovery-codes.js'

/** Returns a factor as its user sees it. */
export const shownFactor = (factor: ShownFactor): Factor => ({
  id: factor.id,
  kind: factor.kind,
  name: factor.name,
  createdAt: factor.createdAt.toISOString(),
  lastUsedOn: factor.lastUsedOn?.toISOString().slice(0, 10) ?? null,
  ...(factor.kind === 'passkey' && { passkey: shownPasskey(factor) }),
})

type ShownFactor = Pick<ListedFactor, 'id' | 'name' | 'createdAt' | 'lastUsedOn'> &
  ({ kind: 'totp' } | ({ kind: 'passkey' } & PasskeyIdentity))

const shownPasskey = ({ credentialId, domain, userHandle, isSynced }: PasskeyIdentity) => ({
  credentialId: base64url(credentialId),
  domain,
  userHandle: base64url(userHandle),
  isSynced,
})

/** Returns the factors of the user of a token. */
export async function listFactors({ store, now }: AppContext, request: UserRequest): Promise<FactorList> {
  const { database, user } = request
  const key = { databaseId: database.id, userId: user.id }
  return {
    factors: (await findFactors(store, key)).map(shownFactor),
    recoveryCodes: await countRecoveryCodes(store, key),
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
export async function requireFactor(change: Change, userId: string) {
  const { email: recipient, emailVerifiedAt, passwordHash } = await requireLocked(change, userId)
  const factors = await findFactors(change, { databaseId: change.database.id, userId })
  if (factors.length === 0) throw new Problem('factor_needed')
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now: change.now }
  return { ...notified, passwordHash, factors }
}
