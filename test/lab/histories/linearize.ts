/** An operation of a history. It took effect at one instant between call and return. */
export interface Interval {
  call: number
  /** Infinity if the outcome is unknown: the operation may take effect at any time after its call, or never. */
  return: number
  /** Whether it changes no state. If so, its instant need not be searched. */
  isRead?: boolean
}

/** A sequential model of the operations. */
export interface Model<State, Operation> {
  initial: State
  /** Returns the next state, the same one if nothing changes, or undefined if the outcome contradicts the state. */
  step(state: State, operation: Operation): State | undefined
  /** Returns the same text for equal states. */
  keyOf(state: State): string
}

/** The operations of a history, some of which have taken effect. */
class Progress<Operation extends Interval> {
  /** The operations that have taken effect, in order. */
  readonly order: Operation[] = []
  readonly #certain: Operation[]
  readonly #unknown: Operation[]
  readonly #indexes: Map<Operation, number>
  readonly #done = new Set<Operation>()
  /** All certain operations before this index are done. */
  #first = 0

  constructor(history: readonly Operation[]) {
    const sorted = [...history].sort((one, other) => one.call - other.call)
    this.#certain = sorted.filter(isCertain)
    this.#unknown = sorted.filter((each) => !isCertain(each))
    this.#indexes = new Map(this.#certain.map((each, index) => [each, index]))
  }

  get isComplete() {
    return this.#first === this.#certain.length
  }

  /**
   * Yields the operations with a known outcome that were called until the given time, starting with the first that is
   * not done.
   */
  *#until(end: () => number) {
    for (let index = this.#first; index < this.#certain.length; index++) {
      const operation = this.#certain[index] as Operation
      if (operation.call > end()) return
      yield operation
    }
  }

  /** Returns the operations that may be the next one. */
  candidates() {
    let earliest = Number.POSITIVE_INFINITY
    const found: Operation[] = []
    for (const operation of this.#until(() => earliest)) {
      if (this.#done.has(operation)) continue
      earliest = Math.min(earliest, operation.return)
      found.push(operation)
    }
    const isPossible = (each: Operation) => !this.#done.has(each) && each.call <= earliest
    return [...found, ...this.#unknown].filter(isPossible)
  }

  take(operation: Operation) {
    this.#done.add(operation)
    this.order.push(operation)
    while (!this.isComplete && this.#done.has(this.#certain[this.#first] as Operation)) this.#first += 1
  }

  /** Undoes all operations except a number of first ones. */
  undo(length: number) {
    for (const operation of this.order.splice(length)) {
      this.#done.delete(operation)
      this.#first = Math.min(this.#first, this.#indexes.get(operation) ?? this.#first)
    }
  }

  /** Returns the same text for the same set of operations. */
  key() {
    const end = this.#certain[this.#first]?.return ?? 0
    const ahead = [...this.#until(() => end)].map((each) => (this.#done.has(each) ? 1 : 0)).join('')
    const used = this.#unknown.flatMap((each, index) => (this.#done.has(each) ? index : []))
    return `${this.#first} ${ahead} ${used}`
  }
}

const isCertain = (operation: Interval) => operation.return < Number.POSITIVE_INFINITY

/** The longest part of a history that was explained. */
export interface Verdict<State, Operation> {
  /** `undecided` if the search was given up. */
  is: 'linearizable' | 'impossible' | 'undecided'
  /** Operations in the order of their instants. */
  order: Operation[]
  state: State
  /** The operations one of which must be next. */
  next: Operation[]
}

/**
 * Searches an order of operations that agrees with their intervals and the model, by Wing and Gong, with Lowe's memory
 * of the configurations that led nowhere.
 *
 * @param limit number of configurations after which the search is given up
 */
export function linearize<State, Operation extends Interval>(
  { initial, step, keyOf }: Model<State, Operation>,
  history: readonly Operation[],
  limit = 300_000,
): Verdict<State, Operation> {
  const progress = new Progress(history)
  const seen = new Set<string>()
  const path: { state: State; length: number; choices: Operation[] }[] = []
  let best: Verdict<State, Operation> = { is: 'impossible', order: [], state: initial, next: [] }

  /**
   * Applies every read that the state explains, because a later instant is never better. Returns the other
   * candidates.
   */
  function takeReads(state: State) {
    for (;;) {
      const all = progress.candidates()
      const reads = all.filter((each) => each.isRead && step(state, each) !== undefined)
      if (reads.length === 0) return all
      for (const read of reads) progress.take(read)
    }
  }

  function enter(state: State, length: number) {
    const next = takeReads(state)
    if (progress.order.length >= best.order.length)
      best = { is: 'impossible', order: [...progress.order], state, next }
    const key = `${progress.key()} ${keyOf(state)}`
    const choices = seen.has(key) ? [] : next.filter((each) => !each.isRead).reverse()
    seen.add(key)
    path.push({ state, length, choices })
  }

  enter(initial, 0)
  while (!progress.isComplete) {
    const last = path.at(-1)
    if (!last) return best
    if (seen.size > limit) return { ...best, is: 'undecided' }
    const operation = last.choices.pop()
    if (!operation) {
      path.pop()
      progress.undo(last.length)
      continue
    }
    const state = step(last.state, operation)
    if (state === undefined || (state === last.state && !isCertain(operation))) continue
    const { length } = progress.order
    progress.take(operation)
    enter(state, length)
  }
  return { ...best, is: 'linearizable', order: progress.order }
}
