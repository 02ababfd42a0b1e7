interface Waiting {
  owners: readonly string[]
  start: () => void
}

/**
 * Creates a function that runs tasks: at most `total` at the same time, and at most `share` of each owner of a task. The task whose
 * owners have the fewest running ones is next, so that no owner delays the tasks of others.
 */
export function createFairLimit({ total, share }: { total: number; share: number }) {
  const running = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let count = 0
  const runningOf = (owner: string) => running.get(owner) ?? 0

  function add(owners: readonly string[], number: 1 | -1) {
    count += number
    for (const owner of owners) {
      const left = runningOf(owner) + number
      if (left === 0) running.delete(owner)
      else running.set(owner, left)
    }
  }

  function findNext() {
    let next: Waiting | undefined
    let fewest = share
    for (const each of count < total ? waiting : []) {
      const most = Math.max(...each.owners.map(runningOf))
      if (most >= fewest) continue
      next = each
      fewest = most
    }
    return next
  }

  function startWaiting() {
    for (let next = findNext(); next; next = findNext()) {
      waiting.delete(next)
      add(next.owners, 1)
      next.start()
    }
  }

  /** Runs a task when its turn comes. @param signal removes a task that waits. @throws the reason of the signal */
  return async <Result>(
    owners: readonly string[],
    task: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    await new Promise<void>((start, reject) => {
      const entry = { owners, start }
      waiting.add(entry)
      signal?.addEventListener('abort', () => waiting.delete(entry) && reject(signal.reason), { once: true })
      startWaiting()
    })
    try {
      return await task()
    } finally {
      add(owners, -1)
      startWaiting()
    }
  }
}
