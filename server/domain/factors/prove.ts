import type { SecondFactorProof } from '@usher/contract'
import { findFactors } from '../../store/queries/factors.js'
import { findLogin } from '../../store/queries/login.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { Problem, validationFailed } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { knownMilliseconds, wasSeen } from '../throttle/rules.js'
import type { Kind, NeededForProof, PasskeyDatabase, ProofUse } from './kind.js'
import { passkey } from './passkey.js'
import { recoveryCode } from './recovery-code.js'
import { totp } from './totp.js'

/** What a user can prove, first what is easiest. */
const kinds: readonly Kind[] = [passkey, totp, recoveryCode]

/** Returns the one kind of a proof. @throws {Problem} `validation_failed` */
function kindOf(proof: SecondFactorProof, path = '') {
  const [only, ...others] = kinds.filter(({ name }) => proof[name] != null)
  if (only && others.length === 0) return only
  const detail = 'must have exactly one of `totp`, `passkey` and `recoveryCode`'
  throw validationFailed([{ path, code: 'required', detail }])
}

/** Returns the methods by which a user can prove a second factor, and what a client needs for them. */
export async function provableBy(
  context: Pick<AppContext, 'store' | 'findSecrets' | 'now'>,
  database: PasskeyDatabase,
  use: ProofUse,
) {
  const factors = await findFactors(context.store, { databaseId: database.id, userId: use.userId })
  const on = kinds.filter(({ isOn }) => isOn(database, factors))
  const needed = on.map(({ options }) => options?.(context, database, { ...use, factors }))
  const all: NeededForProof = Object.assign({}, ...(await Promise.all(needed)))
  return { methods: on.map(({ name }) => name), ...all }
}

type Request = Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>

interface PresentedProof extends ProofUse {
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
  const kind = kindOf(proof, path)
  const databaseId = database.id
  const sources = throttle.keys.sources(databaseId, caller.clientAddress)
  const usedUp = networkAllowance.refusal(database, sources)
  if (usedUp) throw usedUp
  const { user, network } = await findUserAndNetwork(context, request, userId)
  if (generation !== undefined && user?.generation !== generation) throw new Problem('challenge_invalid')
  if (!user) throw new Problem('second_factor_invalid')
  const isKnown = wasSeen(network.knownAt, context.now(), knownMilliseconds)
  const given = { purpose, of, userId, generation: user.generation, isKnown, proof }
  await kind.prove(context, request, given).catch(async (error) => {
    if (error instanceof Problem && error.code !== 'too_many_attempts') {
      audit(caller.log, 'second_factor.failed', { databaseId, userId })
      await networkAllowance.countFailure(database, sources)
    }
    throw error
  })
  return { way: kind.amr, user, network: { ...network, user } }
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
