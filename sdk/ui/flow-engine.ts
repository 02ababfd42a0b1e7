import { type Client, endpoints } from '../client.js'
import type { Endpoint } from '../endpoint.js'
import type { Operations } from '../endpoints.js'
import type { UsherError } from '../errors.js'
import type { SecondFactorProof } from '../schemas.js'
import { type AskSecondFactor, withSecondFactor } from '../second-factor.js'
import { claimsOf } from '../token-claims.js'
import { messagesOf } from './messages.js'
import { secondFactor } from './second-factor.js'
import type { Action, Feedback, Outcome, Screen, Values } from './view.js'

/** What is shown, and what its buttons do. */
export interface Flow {
  readonly screen: Screen
  readonly feedback: Feedback
  /** Calls the listener after each change, and starts the flow. Returns a function that ends this. */
  subscribe(listener: () => void): () => void
  /** Runs an action of the screen. Does nothing while another one runs. */
  submit(id: string, values?: Values): Promise<void>
  /** Shows another screen. An action that still runs no longer counts. */
  show(screen: Screen, outcome?: Outcome): void
  /** Ends what waits, such as passkeys in the list of a field. `subscribe` starts it again. */
  stop(): void
}

const quiet: Feedback = {
  isBusy: false,
  error: undefined,
  fieldErrors: {},
  status: undefined,
  progress: undefined,
}

/** Returns the actions of a screen, of its rows and of its content. */
export const actionsOf = ({ actions, items = [], content }: Screen) => [
  ...actions,
  ...items.flatMap(({ actions = [] }) => actions),
  ...(content?.actions ?? []),
]

/** Returns the ID of the user who is logged in, or undefined. */
export const userIdOf = ({ token }: Client) => (token ? claimsOf(token).sub : undefined)

/** Returns whether the session is that of one tenant, which does not open the account. */
export const isOfTenant = ({ token }: Client) => token !== undefined && claimsOf(token).account === false

/**
 * Returns the operations of a client, which ask for the second factor where they need one.
 *
 * @param listener `refused` is called with the error of each proof of a factor, or undefined: an operation returns only errors of its own.
 *   `onWork` is called while the client works.
 */
function askingOperations(
  client: Client,
  ask: AskSecondFactor,
  {
    refused,
    onWork,
  }: { refused: (error: UsherError | undefined) => void; onWork: (progress: number) => void },
): Operations {
  const noting =
    <Given extends unknown[], Answer extends { error?: UsherError | undefined }>(
      operation: (...given: Given) => Promise<Answer>,
    ) =>
    async (...given: Given) => {
      const result = await operation(...given)
      refused(result.error)
      return result
    }
  const steps = {
    ...client,
    ask,
    verifySecondFactor: noting(client.verifySecondFactor),
    stepUp: noting(client.stepUp),
    // A login or log-out of another tab ends the question.
    startCall: () => {
      const user = userIdOf(client)
      return () => userIdOf(client) === user
    },
  }
  const asking = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const operation = client[name as keyof Operations] as (...given: unknown[]) => never
    const working = (...[body, options]: unknown[]) => operation(body, { onWork, ...(options as object) })
    return [
      name,
      withSecondFactor(endpoint.codes.includes('proof_required') ? working : operation, endpoint, steps),
    ]
  })
  return Object.fromEntries(asking) as Operations
}

/**
 * Creates a flow. Where an operation needs a second factor, the flow asks for it and goes on.
 *
 * @param begin returns the first screen. Its `usher` asks in this flow.
 * @param lead returns what an error leads to
 */
export function createFlow(
  client: Client,
  begin: (usher: Operations) => Screen,
  lead: (
    error: UsherError<string>,
    screen: Screen,
  ) => Outcome | undefined | Promise<Outcome | undefined> = () => undefined,
): Flow {
  const listeners = new Set<() => void>()
  let feedback: Feedback = { ...quiet, isBusy: true }
  /** A question, which is shown instead of the screen. */
  let question: Screen | undefined
  /** Ends the question. */
  let end: (proof?: SecondFactorProof) => undefined = () => undefined
  let isCancelled = false
  /** Why the last proof was refused. */
  let refused: UsherError | undefined
  let isStarted = false
  /** Aborts when the screen is left. */
  let stay = new AbortController()

  function emit(change: Partial<Feedback>) {
    feedback = { ...quiet, ...change }
    for (const listener of listeners) listener()
  }

  const emitError = (error: UsherError<string> | undefined, { fields = [] }: Screen, values?: Values) =>
    emit(error ? messagesOf(error, fields, values) : {})

  const ask: AskSecondFactor = (prompt) =>
    new Promise((resolve) => {
      end()
      end = (proof) => {
        isCancelled = !proof
        resolve(proof)
        return undefined
      }
      question = secondFactor(prompt, (proof) => end(proof), client.token ? 'back' : 'otherAccount')
      emitError(prompt.error, question)
    })

  let screen = begin(
    askingOperations(client, ask, {
      refused(error) {
        refused = error
      },
      onWork(progress) {
        // Not on a screen to which the user has gone meanwhile.
        if (feedback.isBusy) emit({ isBusy: true, progress })
      },
    }),
  )

  /** Shows what an action or the start of the screen has led to, unless the screen was left meanwhile. */
  async function follow(running: Promise<Outcome | undefined>, { signal }: AbortController, values?: Values) {
    const given = (await running) ?? {}
    if (signal.aborted) return
    const isAsked = /^(second_factor|step_up)_required$/.test(given.error?.code ?? '')
    const outcome = isAsked && refused ? { ...given, error: refused } : given
    const { error, fieldErrors, status } = outcome
    // A screen that waits cannot be shown again: it would ask again.
    const shown =
      isCancelled && !screen.isWaiting ? ((await screen.cancel?.()) ?? { screen }) : await leadFrom(outcome)
    if (signal.aborted) return
    if (shown?.screen) return show(shown.screen, shown)
    if (question) return show(screen, outcome)
    if (error) return emitError(error, screen, values)
    emit({ status, ...(fieldErrors && { fieldErrors, error: fieldErrors[''] }) })
  }

  const leadFrom = (outcome: Outcome) =>
    outcome.error && !outcome.screen ? lead(outcome.error, screen) : outcome

  async function start() {
    isStarted = true
    isCancelled = false
    refused = undefined
    const running = screen.start?.(stay.signal)
    // What waits for a choice of the user, such as a passkey, shows nothing when it is ended.
    if (running && (screen.isWaiting || (await running))) await follow(running, stay)
  }

  function show(next: Screen, { error, status }: Outcome = {}) {
    stop()
    question = undefined
    screen = next
    if (error) emitError(error, next)
    else emit({ isBusy: next.isWaiting ?? false, status })
    start()
  }

  function stop() {
    isStarted = false
    stay.abort(undefined)
    stay = new AbortController()
    end()
  }

  /** Runs an action of the question. A proof lets the operation go on. */
  async function answer(action: Action, values: Values) {
    const outcome = await action.run(values)
    if (!outcome || !question) return
    question = outcome.screen ?? question
    emitError(outcome.error, question, values)
  }

  return {
    get screen() {
      return question ?? screen
    },
    get feedback() {
      return feedback
    },
    subscribe(listener) {
      listeners.add(listener)
      if (!isStarted) start()
      return () => void listeners.delete(listener)
    },
    async submit(id, values = {}) {
      const action = actionsOf(question ?? screen).find((each) => each.id === id)
      if (!action || feedback.isBusy) return
      emit({ isBusy: true })
      if (question) return answer(action, values)
      isCancelled = false
      refused = undefined
      await follow(Promise.resolve(action.run(values)), stay, values)
    },
    show,
    stop,
  }
}
