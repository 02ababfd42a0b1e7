import { type Context, context } from '@opentelemetry/api'
import { inSharedContext } from '../telemetry/tracing.js'
import type { Store } from './store.js'

/** Maximum number of rows that one statement reads. */
export const maxReads = 128

/** Concurrent statements of a queue. More than one, because the connections of the others may hang. */
const maxStatements = 4

/** For how many statements reads wait, instead of sending another. With two, Postgres and the process work at the same time. */
const maxAwaited = 2

/**
 * For how many milliseconds reads wait for running statements, because one statement with all of them takes less CPU time
 * than two.
 */
const patienceMilliseconds = 10

interface Read<Key, Row> {
  key: Key
  resolve(row: Row | undefined): void
  reject(error: unknown): void
  trace: Context
}

/** Waiting reads that may share statements. */
interface Queue<Key, Row> {
  waiting: Read<Key, Row>[]
  isScheduled: boolean
  /** Number of running statements. */
  running: number
  /** Number of those for which reads wait. */
  awaited: number
}

/** The queue of reads that may share a statement whatever their database. */
export const allDatabases = 'all'

/** Does what {@link batchReads} does. If the store permits it, reads of several databases share a statement. */
export function batchReadsOfAll<Key extends { databaseId: string }, Row>(
  store: Pick<Store, 'readsAcrossDatabases'>,
  readRows: (keys: Key[]) => Promise<(Row | undefined)[]>,
) {
  const read = batchReads<Key, Row>((_queue, keys) => readRows(keys))
  return (key: Key) => read(store.readsAcrossDatabases() ? allDatabases : key.databaseId, key)
}

/**
 * Returns a function that reads a row of a database by its key. Reads that begin in the same turn of the event loop, or
 * while two statements of the database run, share a statement, because sending a statement takes longer than reading a
 * row. A read never returns a row as it was before the read began.
 *
 * @param readRows returns the row of each key, or undefined, in the order of the keys
 */
export function batchReads<Key, Row>(
  readRows: (databaseId: string, keys: Key[]) => Promise<(Row | undefined)[]>,
) {
  const queues = new Map<string, Queue<Key, Row>>()

  function schedule(databaseId: string, queue: Queue<Key, Row>) {
    const { waiting, isScheduled, running, awaited } = queue
    if (isScheduled || running === maxStatements || waiting.length === 0) return
    if (awaited >= maxAwaited && waiting.length < maxReads) return
    queue.isScheduled = true
    setImmediate(send, databaseId, queue)
  }

  async function send(databaseId: string, queue: Queue<Key, Row>) {
    const reads = queue.waiting.splice(0, maxReads)
    queue.isScheduled = false
    queue.running += 1
    queue.awaited += 1
    let isAwaited = true
    const stopAwaiting = () => {
      if (isAwaited) queue.awaited -= 1
      isAwaited = false
      schedule(databaseId, queue)
    }
    const patience = setTimeout(stopAwaiting, patienceMilliseconds)
    schedule(databaseId, queue)
    try {
      const keys = reads.map(({ key }) => key)
      const traces = reads.map(({ trace }) => trace)
      const rows = await inSharedContext(traces, () => readRows(databaseId, keys))
      reads.forEach(({ resolve }, index) => {
        resolve(rows[index])
      })
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
    clearTimeout(patience)
    queue.running -= 1
    stopAwaiting()
    if (queue.running === 0 && !queue.isScheduled) queues.delete(databaseId)
  }

  return (databaseId: string, key: Key) =>
    new Promise<Row | undefined>((resolve, reject) => {
      const queue = queues.get(databaseId) ?? { waiting: [], isScheduled: false, running: 0, awaited: 0 }
      queues.set(databaseId, queue)
      queue.waiting.push({ key, resolve, reject, trace: context.active() })
      schedule(databaseId, queue)
    })
}
