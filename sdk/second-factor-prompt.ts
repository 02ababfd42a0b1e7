import type { SecondFactorProof } from './schemas.js'
import type { AskSecondFactor, SecondFactorPrompt } from './second-factor.js'

/** A prompt that waits for the user. */
export interface SecondFactorQuestion extends SecondFactorPrompt {
  /** Goes on with a proof, such as `{ totp: '240618' }`. After a wrong one, the next question has the `error`. */
  answer(proof: SecondFactorProof): void
  /** Ends the operation that needs the second factor. */
  cancel(): void
}

/** Connects the prompts of a client with a page. Its functions work without `this`. */
export interface SecondFactorQuestions {
  /** The option `secondFactor` of `createSessionClient`. */
  ask: AskSecondFactor
  /** The question that the page has to show. */
  readonly current: SecondFactorQuestion | undefined
  /** Calls the listener when `current` has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void
}

/**
 * Creates the questions of a client for its second factor, which a page shows where it likes. A new question cancels the one before.
 *
 * @example
 * ```ts
 * const questions = createSecondFactorQuestions()
 * const usher = createSessionClient({ ...database, secondFactor: questions.ask })
 * questions.subscribe(() => show(questions.current))
 * ```
 */
export function createSecondFactorQuestions(): SecondFactorQuestions {
  const listeners = new Set<() => void>()
  let current: SecondFactorQuestion | undefined

  function set(next: SecondFactorQuestion | undefined) {
    current = next
    for (const listener of listeners) listener()
  }

  return {
    ask: (prompt) =>
      new Promise((resolve) => {
        current?.cancel()
        const settle = (proof?: SecondFactorProof) => {
          if (current === question) set(undefined)
          resolve(proof)
        }
        const question: SecondFactorQuestion = { ...prompt, answer: settle, cancel: () => settle() }
        set(question)
      }),
    get current() {
      return current
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
