import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Result } from '../api.js'
import { useConsole } from '../context.js'
import type { Problem } from '../problems.js'
import { Failure } from './failure.js'
import { announce } from './status.js'

/** What a screen has loaded. */
export interface Loading<Data> {
  data: Data | undefined
  etag: string | undefined
  problem: Problem | undefined
  /** Whether the keys have changed, and what they load is on its way. */
  isBusy: boolean
  reload(): Promise<void>
}

/**
 * Loads when one of the keys has changed. A late response of former keys is ignored.
 *
 * @param keeps whether to show what former keys have loaded until then, such as while the operator types
 */
export function useLoad<Data>(
  load: () => Promise<Result<Data>>,
  keys: readonly unknown[],
  keeps = false,
): Loading<Data> {
  const [loaded, setLoaded] = useState<{ key: string; result: Result<Data> }>()
  const key = JSON.stringify(keys)
  const reload = useCallback(async () => {
    const result = await load()
    setLoaded({ key, result })
  }, [key])
  useEffect(() => {
    let isLeft = false
    load().then((result) => isLeft || setLoaded({ key, result }))
    return () => {
      isLeft = true
    }
  }, [key])
  const isBusy = loaded?.key !== key
  const result = isBusy && !(keeps && loaded?.result.data) ? undefined : loaded?.result
  const { data, etag } = result?.error ? { data: undefined, etag: undefined } : (result ?? {})
  return { data, etag, problem: result?.error, isBusy, reload }
}

/** Shows what was loaded, why it was not, or that it is on its way. */
export function Loaded<Data>({
  of: { data, problem, reload },
  children,
}: {
  of: Loading<Data>
  children: (data: Data) => ComponentChildren
}) {
  const { showMissing } = useConsole()
  // Also of a workspace in which the operator has no right. Nothing of the screen would make sense.
  const isMissing = problem?.code === 'database_not_found'
  useEffect(() => {
    if (isMissing) showMissing()
  }, [isMissing])
  if (problem)
    return (
      <Failure problem={problem}>
        <button type="button" onClick={reload}>
          Try again
        </button>
      </Failure>
    )
  return data === undefined ? <p class="soft">Loading…</p> : children(data)
}

/** Runs one request at a time, and shows its problem. */
export function useTask() {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  /** Returns the data of a success. Announces what was done. */
  async function run<Data>(request: () => Promise<Result<Data>>, done?: string) {
    if (isBusy) return undefined
    setBusy(true)
    const result = await request()
    setBusy(false)
    setProblem(result.error)
    if (!result.error && done) announce(done)
    return result.error ? undefined : { data: result.data }
  }
  return { isBusy, problem, run, clear: () => setProblem(undefined) }
}
