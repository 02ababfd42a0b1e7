import { useSyncExternalStore } from 'react'
import type { SecondFactorQuestion, SecondFactorQuestions } from './second-factor-prompt.js'

/**
 * Returns the question for the second factor that waits for the user. Undefined if there is none, and on a server.
 *
 * @example
 * ```tsx
 * const question = useSecondFactor(questions)
 * if (question) return <SecondFactorForm {...question} />
 * ```
 */
export const useSecondFactor = (questions: SecondFactorQuestions): SecondFactorQuestion | undefined =>
  useSyncExternalStore(
    questions.subscribe,
    () => questions.current,
    () => undefined,
  )
