import type { Endpoint } from './endpoint.js'
import type { Operations } from './endpoints.js'
import type { UsherError } from './errors.js'
import type { Result } from './result.js'
import type { ErrorCode, SecondFactorMethod, SecondFactorProof } from './schemas.js'

/** What a page needs to ask for a second factor. */
export interface SecondFactorPrompt {
  /** What the user can prove. */
  readonly methods: readonly SecondFactorMethod[]
  /** Why the last proof was rejected. Undefined at the first prompt. */
  readonly error: UsherError | undefined
}

/** Asks the user for a proof of the second factor, such as `{ totp: '240618' }`. Undefined cancels. */
export type AskSecondFactor = (
  prompt: SecondFactorPrompt,
) => SecondFactorProof | undefined | Promise<SecondFactorProof | undefined>

type Operation = (...given: unknown[]) => Promise<Result<unknown, ErrorCode>>

interface Steps extends Pick<Operations, 'verifySecondFactor' | 'stepUp'> {
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
  { ask, verifySecondFactor, stepUp, startCall }: Steps,
): Operation {
  const isAsked = (code: unknown) => code === 'second_factor_required' || code === 'step_up_required'
  if (!codes.some(isAsked)) return operation
  // The body follows the ids of the path.
  const place = path.split('{').length - 1
  const again = (given: unknown[], more: object) =>
    operation(...given.slice(0, place), { ...(given[place] as object), ...more }, ...given.slice(place + 1))

  return async (...given) => {
    const isCurrent = startCall()
    const first = await operation(...given)
    if (!isAsked(first.error?.code)) return first
    const { methods = ['totp', 'recoveryCode'], challenge } = first.error?.secondFactor ?? {}
    let error: UsherError | undefined
    for (;;) {
      const proof = await ask({ methods, error })
      if (!proof || !isCurrent(true)) return first
      if (first.error?.code === 'step_up_required') {
        const stepped = await stepUp(proof)
        if (stepped.data) return again(given, { confirmation: stepped.data.confirmation.value })
        error = stepped.error
      } else {
        const proven: Result<unknown, ErrorCode> = challenge
          ? await verifySecondFactor({ ...proof, challenge })
          : await again(given, { secondFactor: proof })
        if (proven.data) return proven
        error = proven.error
      }
      // Such as an expired challenge: the first step is needed again.
      if (error?.code !== 'second_factor_invalid')
        return codes.some((code) => code === error?.code) ? { data: undefined, error: error as never } : first
    }
  }
}
