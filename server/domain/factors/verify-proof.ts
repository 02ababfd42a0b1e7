import type { SecondFactorProof } from '@usher/contract'
import { forgetFailures } from '../../store/queries/factor-guesses.js'
import { findSecretsOfFactors, useRecoveryCode } from '../../store/queries/factors.js'
import { findLogin } from '../../store/queries/login.js'
import { audit } from '../../telemetry/audit.js'
import { sendNotice } from '../change.js'
import type { AppContext } from '../context.js'
import { dataCipherOf } from '../keys/data-key.js'
import type { PasskeyProof } from '../passkeys/options.js'
import { ifRefused } from '../passkeys/refusal.js'
import { verifyPasskeyProof } from '../passkeys/verify-passkey-proof.js'
import { Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { knownMilliseconds, wasSeen } from '../throttle/rules.js'
import type { Amr } from '../tokens/authentication.js'
import { tryGuess } from './guesses.js'
import { hashOf } from './recovery-codes.js'
import { stepOf } from './totp.js'

/** Wrong codes in a row after which the user gets a mail: somebody knows the password. */
const noticedFailures = [3, 10]

/** Identifies the row of a factor's secret. */
export const factorRow = (databaseId: string, id: string) => `${databaseId}/factor/${id}`

type Request = Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>

/** Returns the one method of a proof, and its value. @throws {Problem} `validation_failed` */
export function methodOf({ totp, passkey, recoveryCode }: SecondFactorProof, path = '') {
  const given = [
    totp != null && ({ method: 'totp', value: totp } as const),
    passkey != null && ({ method: 'passkey', value: passkey } as const),
    recoveryCode != null && ({ method: 'recoveryCode', value: recoveryCode } as const),
  ].filter((each) => each !== false)
  const [only] = given
  if (only && given.length === 1) return only
  const detail = 'must have exactly one of `totp`, `passkey` and `recoveryCode`'
  throw validationFailed([{ path, code: 'required', detail }])
}

const ways = { totp: 'otp', passkey: 'pop', recoveryCode: 'recovery' } as const satisfies Record<string, Amr>

interface PresentedProof extends Pick<PasskeyProof, 'purpose' | 'of' | 'userId'> {
  /** That of the first step. By default, the caller has just read the user. */
  generation?: number
  proof: SecondFactorProof
  /** The field of the body that has the proof. */
  path?: string
}

/**
 * Verifies the proof of a second factor of a user, and uses it up. Counts and audits a failure.
 *
 * @returns the way, the user, and the network of the client
 * @throws {Problem} `second_factor_invalid`; `too_many_attempts`; `validation_failed`; `challenge_invalid` if the user has changed
 */
export async function verifyProof(
  context: AppContext,
  request: Request,
  { purpose, of, userId, generation, proof, path }: PresentedProof,
) {
  const { throttle, networkAllowance } = context
  const { database, caller } = request
  const given = methodOf(proof, path)
  const databaseId = database.id
  const sources = throttle.keys.sources(databaseId, caller.clientAddress)
  const usedUp = networkAllowance.refusal(database, sources)
  if (usedUp) throw usedUp
  const { user, network } = await findUserAndNetwork(context, request, userId)
  if (generation !== undefined && user?.generation !== generation) throw new Problem('challenge_invalid')
  if (!user) throw new Problem('second_factor_invalid')
  const isKnown = wasSeen(network.knownAt, context.now(), knownMilliseconds)
  const presented = { purpose, of, userId, generation: user.generation, isKnown }
  await requireRight(context, request, { ...given, ...presented })
    .catch(ifRefused('second_factor_invalid'))
    .catch(async (error) => {
      if (error instanceof Problem && error.code !== 'too_many_attempts') {
        audit(caller.log, 'second_factor.failed', { databaseId, userId })
        await networkAllowance.countFailure(database, sources)
      }
      throw error
    })
  return { way: ways[given.method], user, network: { ...network, user } }
}

type GivenProof = ReturnType<typeof methodOf> & PasskeyProof & { isKnown: boolean }

/** @throws {Problem} `second_factor_invalid`; `challenge_invalid`; `too_many_attempts` @throws {RefusedResponse} */
async function requireRight(context: AppContext, request: Request, given: GivenProof) {
  const { userId, method, value } = given
  if (method === 'totp') return requireTotp(context, request, { ...given, code: value })
  const key = { databaseId: request.database.id, userId }
  if (method === 'passkey') await verifyPasskeyProof(context, request, { ...given, response: value })
  else if (!(await useRecoveryCode(context.store, key, hashOf(value))))
    throw new Problem('second_factor_invalid')
  // The user is there, and may have tried wrong codes of a lost app.
  await forgetFailures(context.store, key)
}

/** Returns an enabled user, and the network of the client. */
export async function findUserAndNetwork(
  { store, throttle }: AppContext,
  { database, caller }: Pick<Request, 'database' | 'caller'>,
  userId: string,
) {
  const { network } = throttle.keys.sources(database.id, caller.clientAddress)
  // The address counts wrong passwords, and there is none.
  const attempt = { address: new Uint8Array(), network }
  const account = { databaseId: database.id, id: userId }
  const { user, networkKnownAt: knownAt } = await findLogin(store, account, attempt)
  return { user: user?.disabledAt ? undefined : user, network: { network, knownAt } }
}

async function requireTotp(
  context: AppContext,
  request: Request,
  { userId, isKnown, code }: { userId: string; isKnown: boolean; code: string },
) {
  const { store, now } = context
  const databaseId = request.database.id
  const right = await findRightCode(context, { databaseId, userId, code })
  const { failures, isAccepted } = await tryGuess({ store, now }, { databaseId, userId, isKnown }, right)
  if (isAccepted) return
  if (!right && noticedFailures.includes(failures))
    await sendNotice(context, request, { notice: 'second_step_failed', userId })
  throw new Problem('second_factor_invalid')
}

/** Returns the app of a user that shows a code now, unless that code or a later one was used. */
async function findRightCode(
  { store, now }: AppContext,
  { databaseId, userId, code }: { databaseId: string; userId: string; code: string },
) {
  for (const { id, sealedSecret, lastStep, sealedKey } of await findSecretsOfFactors(store, {
    databaseId,
    userId,
  })) {
    const secret = dataCipherOf(store, { databaseId, sealedKey }).open(
      sealedSecret,
      factorRow(databaseId, id),
    )
    const step = await stepOf(secret, code, now())
    if (step !== undefined && step > lastStep) return { factorId: id, step }
  }
  return undefined
}
