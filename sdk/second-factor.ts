import type { Endpoint } from './endpoint.js'
import type { Operations } from './endpoints.js'
import type { UsherError } from './errors.js'
import type { Result } from './result.js'
import type {
  ErrorCode,
  PublicKeyCredentialRequestOptionsJSON,
  SecondFactorMethod,
  SecondFactorProof,
} from './schemas.js'

/** What a page needs to ask for a second factor. */
export interface SecondFactorPrompt {
  /** What the user can prove. */
  readonly methods: readonly SecondFactorMethod[]
  /** What `prove` of `@usher/sdk/passkeys` needs. Undefined if the user has no passkey of this domain. */
  readonly options: PublicKeyCredentialRequestOptionsJSON | undefined
  /** Why the last proof was rejected. Undefined at the first prompt. */
  readonly error: UsherError | undefined
}

/** Asks the user for a proof of the second factor, such as `{ totp: '240618' }`. Undefined cancels. */
export type AskSecondFactor = (
  prompt: SecondFactorPrompt,
) => SecondFactorProof | undefined | Promise<SecondFactorProof | undefined>

type Operation = (...given: unknown[]) => Promise<Result<unknown, ErrorCode>>

interface Steps extends Pick<Operations, 'verifySecondFactor' | 'beginStepUp' | 'stepUp'> {
  ask: AskSecondFactor
  /** Returns a function that tells whether no later call has logged the user in or out. */
  startCall(): (isSession: true) => boolean
}

/**
 * Returns an operation that asks for the second factor if it needs one, again after a wrong code, and then goes on. If the user
 * cancels or logs out meanwhile, it returns the error of the first step.
 */
export function withSecondFactor(
  operation: Operation,
  { path, codes }: Endpoint<string>,
  { ask, verifySecondFactor, beginStepUp, stepUp, startCall }: Steps,
): Operation {
  const isAsked = (code: unknown) => code === 'second_factor_required' || code === 'step_up_required'
  if (!codes.some(isAsked)) return operation
  // The body follows the ids of the path.
  const place = path.split('{').length - 1
  const again = (given: unknown[], more: object) =>
    operation(...given.slice(0, place), { ...(given[place] as object), ...more }, ...given.slice(place + 1))

  /** Sends a proof. The data are the result of the operation, and the error is that of the proof. */
  async function prove(
    proof: SecondFactorProof,
    given: unknown[],
    first: UsherError | undefined,
  ): Promise<Result<unknown, ErrorCode>> {
    if (first?.code === 'step_up_required') {
      const { data, error } = await stepUp(proof)
      return data
        ? { data: await again(given, { confirmation: data.confirmation.value }), error: undefined }
        : { data: undefined, error }
    }
    const challenge = first?.secondFactor?.challenge
    const result: Result<unknown, ErrorCode> = challenge
      ? await verifySecondFactor({ ...proof, challenge })
      : await again(given, { secondFactor: proof })
    return result.data ? { data: result, error: undefined } : result
  }

  return async (...given) => {
    const isCurrent = startCall()
    const first = await operation(...given)
    if (!isAsked(first.error?.code)) return first
    let error: UsherError | undefined
    for (;;) {
      // Each time, because a passkey answers a challenge once.
      const needed = first.error?.secondFactor ?? (await beginStepUp()).data
      if (!needed) return first
      const proof = await ask({ methods: needed.methods, options: needed.options, error })
      if (!proof || !isCurrent(true)) return first
      const proven = await prove(proof, given, first.error)
      if (proven.data) return proven.data as Result<unknown, ErrorCode>
      error = proven.error
      // Such as an expired challenge: the first step is needed again.
      if (error?.code !== 'second_factor_invalid')
        return codes.some((code) => code === error?.code) ? { data: undefined, error: error as never } : first
    }
  }
}
