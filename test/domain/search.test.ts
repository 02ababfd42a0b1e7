import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startSearch } from '../../server/domain/outbox/search.js'
import { createStatistics } from '../../server/domain/outbox/statistics.js'
import { UnavailableError } from '../../server/store/errors.js'
import { searchStart, type Visited } from '../../server/store/queries/search.js'

const now = Date.parse('2026-03-01T12:00:00Z')
const ago = (milliseconds: number) => new Date(now - milliseconds)

/** Returns a row of a search. */
const row = (
  channel: Visited['channel'],
  databaseId: string,
  dueAt: Date | null,
  isLast = false,
): Visited => ({
  channel,
  databaseId,
  dueAt,
  isLast,
})

/** Starts a search with one tick per second, of which the first is immediate, unless a test sets another time. */
function newSearch() {
  const state = {
    /** Names of the workers of the store, or none. */
    workers: [] as string[],
    /** Rows that each search returns. */
    rows: [] as Visited[],
    notRetried: [] as { kind: string; count: number; databaseId: string | null }[],
    /** Called before a search responds, with the name of its worker or "". May return other rows. */
    beforeSearch: async (_worker: string): Promise<Visited[] | undefined> => undefined,
    beforeLookUp: async (): Promise<void> => undefined,
    lookUps: 0,
    /** Where each search began: a worker, or the position in the whole store. */
    searches: [] as (string | string[])[],
    counts: 0,
    found: [] as string[],
    warnings: [] as string[],
  }

  async function respond(worker: string, position: string[], statement: string) {
    if (!statement.includes('RECURSIVE')) {
      state.counts += 1
      return state.notRetried
    }
    state.searches.push(worker || position)
    return (await state.beforeSearch(worker)) ?? state.rows
  }

  async function query(text: string, values: unknown[]) {
    if (text.includes('to_regclass')) {
      state.lookUps += 1
      await state.beforeLookUp()
      return [{ found: state.workers.length > 0 }]
    }
    if (text.includes('pg_dist_placement'))
      return state.workers.map((name) => ({ name, shards: [{ outbox: 'o', stream: 's' }] }))
    const [first = []] = values as string[][]
    if (!text.includes('master_run_on_worker')) return respond('', first.slice(0, 2), text)
    const [host, port, command = ''] = first
    const result = JSON.stringify(await respond(`${host}:${port}`, [], command))
    return [{ success: true, result }]
  }

  const stopping = new AbortController()
  const statistics = createStatistics()
  const log = {
    warn: (_fields: object, message: string) => void state.warnings.push(message),
  }
  const end = startSearch({
    store: { query: query as never },
    now: () => now,
    log: log as never,
    statistics,
    intervals: { search: 1_000 },
    found: (databaseId, channel) => void state.found.push(`${channel} ${databaseId}`),
    stopped: stopping.signal,
  })
  return { state, statistics, stop: () => stopping.abort(), end }
}

const ticks = (count: number) => vi.advanceTimersByTimeAsync(1_000 * count)

/** Returns a promise and the function that fulfils it. */
function newGate() {
  let open = () => {}
  const opened = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined)
  })
  return { opened, open }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => void vi.useRealTimers())

it('searches at a random time at first, and then after each interval', async () => {
  vi.mocked(Math.random).mockReturnValue(0.25)
  const { state } = newSearch()
  await vi.advanceTimersByTimeAsync(249)
  expect(state.searches).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(state.searches).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(999)
  expect(state.searches).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(state.searches).toHaveLength(2)
})

it('reports databases with due messages', async () => {
  const { state } = newSearch()
  state.rows = [
    row('mail', 'due now', ago(0)),
    row('mail', 'due later', ago(-1), true),
    row('mail', 'waits for the operator', null),
    row('webhook', 'due now', ago(1)),
    row('webhook', 'due later', ago(-1), true),
  ]
  await ticks(0)
  expect(state.found).toEqual(['mail due now', 'webhook due now'])
})

it('continues where each table was not searched to its end, and then begins again', async () => {
  const { state } = newSearch()
  state.rows = [
    row('mail', 'b', null, true),
    row('mail', 'a', null, true),
    row('mail', 'c', null, true),
    row('mail', '0', null),
    row('webhook', 'd', null, true),
    row('webhook', 'c', null, true),
    row('webhook', 'e', null, true),
    row('webhook', '0', null),
  ]
  await ticks(0)
  state.rows = [row('webhook', 'e', null, true)]
  await ticks(1)
  state.rows = []
  await ticks(2)
  const { mail, webhook } = searchStart
  expect(state.searches).toEqual([
    [mail, webhook],
    ['a', 'c'],
    [mail, 'e'],
    [mail, webhook],
  ])
})

it('publishes the longest due messages of the last complete round and of the current one', async () => {
  const { state, statistics } = newSearch()
  const oldest = () => [statistics.mail.oldestDueAt, statistics.webhook.oldestDueAt]
  await ticks(0)
  expect(oldest()).toEqual([undefined, undefined])
  state.rows = [
    row('mail', 'a', ago(2_000)),
    row('mail', 'b', ago(3_000)),
    row('mail', 'c', ago(1_000)),
    row('webhook', 'a', ago(4_000), true),
    row('webhook', 'a', null),
  ]
  await ticks(1)
  expect(oldest()).toEqual([now - 3_000, now - 4_000])
  // The end of the first round.
  state.rows = [row('webhook', 'd', ago(5_000))]
  await ticks(1)
  expect(oldest()).toEqual([now - 3_000, now - 5_000])
  // Messages of the first round may have been delivered, and those of the second are not all known.
  state.rows = [row('mail', 'a', ago(500), true)]
  await ticks(1)
  expect(oldest()).toEqual([now - 3_000, now - 5_000])
  state.rows = []
  await ticks(1)
  expect(oldest()).toEqual([now - 500, undefined])
  await ticks(1)
  expect(oldest()).toEqual([undefined, undefined])
})

it('counts the messages that wait for the operator once a minute', async () => {
  const { state, statistics } = newSearch()
  const notRetried = () => [statistics.mail.notRetried, statistics.webhook.notRetried]
  state.notRetried = [
    { kind: 'mail', count: 2, databaseId: 'a' },
    { kind: 'webhook', count: 3, databaseId: 'b' },
  ]
  await ticks(0)
  expect(notRetried()).toEqual([2, 3])
  expect([statistics.mail.notRetriedIn, statistics.webhook.notRetriedIn]).toEqual(['a', 'b'])
  state.notRetried = [
    { kind: 'mail', count: 0, databaseId: null },
    { kind: 'webhook', count: 4, databaseId: 'b' },
  ]
  await ticks(29)
  expect([state.counts, ...notRetried()]).toEqual([1, 2, 3])
  await ticks(1)
  expect([state.counts, ...notRetried()]).toEqual([2, 0, 4])
  expect(statistics.mail.notRetriedIn).toBeUndefined()
})

it('searches each worker every second tick, and adds up what they have', async () => {
  const { state, statistics } = newSearch()
  state.workers = ['one:5432', 'two:5432']
  state.beforeSearch = async (worker) => [row('mail', 'a', ago(worker === 'one:5432' ? 1_000 : 2_000))]
  state.notRetried = [{ kind: 'mail', count: 2, databaseId: 'a' }]
  await ticks(0)
  expect(state.searches).toEqual(['one:5432', 'two:5432'])
  expect(statistics.mail).toMatchObject({ oldestDueAt: now - 2_000, notRetried: 4 })
  await ticks(1)
  expect(state.searches).toHaveLength(2)
  await ticks(1)
  expect(state.searches).toHaveLength(4)
})

it('looks up the workers once a minute, and continues the search of those that it knows', async () => {
  const { state } = newSearch()
  state.workers = ['one:5432']
  await ticks(0)
  state.workers = ['one:5432', 'two:5432']
  await ticks(29)
  expect([state.lookUps, state.searches.length]).toEqual([1, 15])
  await ticks(1)
  expect(state.lookUps).toBe(2)
  expect(state.searches.slice(15)).toEqual(['one:5432', 'two:5432'])
  // The first worker is counted at its tick, and not again because it was looked up.
  expect(state.counts).toBe(3)
  await ticks(1)
  expect(state.searches).toHaveLength(17)
})

it('searches a worker that does not respond less and less, and looks up the workers meanwhile', async () => {
  const { state } = newSearch()
  state.workers = ['one:5432']
  let fails = true
  state.beforeSearch = async () => {
    if (fails) throw new UnavailableError('worker one:5432 was not searched')
  }
  const searched: number[] = []
  for (let tick = 0; tick <= 32; tick++) {
    const before = state.searches.length
    if (tick === 30) fails = false
    await ticks(tick === 0 ? 0 : 1)
    if (state.searches.length > before) searched.push(tick)
  }
  // After 2, 4, 8 and again 8 ticks. The search at tick 30 succeeds.
  expect(searched).toEqual([0, 2, 6, 14, 22, 30, 32])
  expect(state.lookUps).toBe(6)
  expect(state.warnings).toEqual([])
})

it('searches the whole store again after two ticks if a search fails, and logs what is unexpected', async () => {
  const { state } = newSearch()
  state.beforeSearch = async () => {
    throw new TypeError('unexpected')
  }
  await ticks(1)
  expect([state.searches.length, state.warnings]).toEqual([1, ['messages were not searched']])
  state.beforeSearch = async () => undefined
  await ticks(1)
  expect(state.searches).toHaveLength(2)
  await ticks(1)
  expect(state.searches).toHaveLength(3)
})

it('looks up the workers again at the next tick if that fails', async () => {
  const { state } = newSearch()
  state.beforeLookUp = async () => {
    throw new UnavailableError('unavailable')
  }
  await ticks(1)
  expect([state.lookUps, state.searches.length, state.warnings]).toEqual([2, 0, []])
  state.beforeLookUp = async () => undefined
  await ticks(2)
  expect([state.lookUps, state.searches.length]).toEqual([3, 2])
})

it('a worker that does not respond occupies one statement, and is not searched twice', async () => {
  const { state } = newSearch()
  state.workers = ['one:5432', 'two:5432', 'three:5432']
  const gate = newGate()
  state.beforeSearch = (worker) => (worker === 'one:5432' ? gate.opened : Promise.resolve(undefined))
  await ticks(4)
  const times = (worker: string) => state.searches.filter((each) => each === worker).length
  expect([times('one:5432'), times('two:5432'), times('three:5432')]).toEqual([1, 3, 3])
  gate.open()
  await ticks(1)
  expect(times('one:5432')).toBe(2)
})

it('a search that is stopped ends after the running statement, and no other one follows', async () => {
  const { state, stop, end } = newSearch()
  const gate = newGate()
  state.beforeSearch = () => gate.opened
  await ticks(0)
  stop()
  let hasEnded = false
  const ended = end().then(() => {
    hasEnded = true
  })
  await ticks(3)
  expect(hasEnded).toBe(false)
  gate.open()
  await ended
  await ticks(3)
  expect([state.lookUps, state.searches.length, vi.getTimerCount()]).toEqual([1, 1, 0])
})

it('a search that is stopped while it looks up the workers searches nothing', async () => {
  const { state, stop, end } = newSearch()
  const gate = newGate()
  state.beforeLookUp = () => gate.opened
  await ticks(0)
  stop()
  gate.open()
  await end()
  await ticks(1)
  expect([state.searches.length, vi.getTimerCount()]).toEqual([0, 0])
})

it('a search that is stopped before its first tick does nothing', async () => {
  const { state, stop } = newSearch()
  stop()
  await ticks(1)
  expect([state.lookUps, state.searches.length, vi.getTimerCount()]).toEqual([0, 0, 0])
})
