import { useState } from 'react'
import type { UsherError } from './errors.js'
import type { Result } from './result.js'

/** What a component shows of a login with several steps. */
export interface StepState<Step extends string, Code extends string> {
  readonly step: Step
  /** Whether a request is running. */
  readonly isPending: boolean
  /** Why the last request failed. */
  readonly error: UsherError<Code> | undefined
}

/** Returns the state of a login, and a function that shows a call at a step, and the next step after a success. */
export function useSteps<Step extends string, Code extends string>(first: Step, initial: Step = first) {
  const [state, setState] = useState<StepState<Step, Code>>({
    step: initial,
    isPending: initial !== first,
    error: undefined,
  })

  async function run(step: Step, call: Promise<Result<unknown, Code> | undefined>, next: Step = first) {
    setState({ step, isPending: true, error: undefined })
    try {
      const { error } = (await call) ?? {}
      setState({ step: error ? step : next, isPending: false, error })
    } catch (cause) {
      setState({ step, isPending: false, error: undefined })
      throw cause
    }
  }
  const restart = () => setState({ step: first, isPending: false, error: undefined })
  return [state, run, restart] as const
}
