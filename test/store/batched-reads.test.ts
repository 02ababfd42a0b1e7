import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { batchReads } from '../../server/store/batched-reads.js'

interface Statement {
  databaseId: string
  ids: string[]
  succeed(): void
  fail(): void
}

/** Reads with statements whose end the test decides. Every row except `unknown` exists. */
function createReads() {
  const statements: Statement[] = []
  const read = batchReads<{ id: string }, { id: string }>(
    (databaseId, keys) =>
      new Promise((resolve, reject) => {
        const ids = keys.map(({ id }) => id)
        const rows = ids.map((id) => (id === 'unknown' ? undefined : { id }))
        const succeed = () => resolve(rows)
        statements.push({ databaseId, ids, succeed, fail: () => reject(new Error('connection lost')) })
      }),
  )
  return {
    statements,
    read: (databaseId: string, id: string) => read(databaseId, { id }),
    sent: () => statements.map(({ ids }) => ids),
  }
}

it('reads of one turn share a statement per database', async () => {
  const { statements, read } = createReads()
  const reads = [read('one', 'a'), read('two', 'b'), read('one', 'c')]
  expect(statements).toEqual([])
  await setImmediate()
  expect(statements).toMatchObject([
    { databaseId: 'one', ids: ['a', 'c'] },
    { databaseId: 'two', ids: ['b'] },
  ])
  for (const { succeed } of statements) succeed()
  expect(await Promise.all(reads)).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
})

it('a row that does not exist is undefined only for its own read', async () => {
  const { statements, read } = createReads()
  const reads = [read('one', 'a'), read('one', 'unknown'), read('one', 'a')]
  await setImmediate()
  statements[0]?.succeed()
  expect(await Promise.all(reads)).toEqual([{ id: 'a' }, undefined, { id: 'a' }])
})

it('a failed statement fails only its own reads', async () => {
  const { statements, read } = createReads()
  const reads = [read('one', 'a'), read('one', 'b'), read('two', 'c')]
  const settled = Promise.allSettled(reads)
  await setImmediate()
  statements[0]?.fail()
  statements[1]?.succeed()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  const later = read('one', 'a')
  await setImmediate()
  statements[2]?.succeed()
  expect(await later).toEqual({ id: 'a' })
})

it('a read never uses a statement that was sent before it began', async () => {
  const { statements, read, sent } = createReads()
  read('one', 'a')
  await setImmediate()
  read('one', 'a')
  await setImmediate()
  statements[0]?.succeed()
  await setImmediate()
  await setImmediate()
  expect(sent()).toEqual([['a'], ['a']])
})

it('the reads that wait for two statements share the next one', async () => {
  const { statements, read, sent } = createReads()
  for (const id of ['a', 'b', 'c', 'd']) {
    read('one', id)
    await setImmediate()
  }
  read('two', 'e')
  await setImmediate()
  expect(sent()).toEqual([['a'], ['b'], ['e']])
  statements[0]?.succeed()
  await setImmediate()
  await setImmediate()
  expect(sent().at(-1)).toEqual(['c', 'd'])
})

it('reads wait 10 ms for two statements, and four run at a time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { statements, read, sent } = createReads()
  for (const id of ['a', 'b', 'c']) {
    read('one', id)
    await setImmediate()
  }
  vi.advanceTimersByTime(9)
  await setImmediate()
  expect(sent()).toEqual([['a'], ['b']])
  vi.advanceTimersByTime(1)
  await setImmediate()
  expect(sent()).toEqual([['a'], ['b'], ['c']])
  for (const id of ['d', 'e']) {
    read('one', id)
    vi.advanceTimersByTime(1000)
    await setImmediate()
  }
  expect(sent()).toEqual([['a'], ['b'], ['c'], ['d']])
  statements[1]?.succeed()
  await setImmediate()
  await setImmediate()
  expect(sent().at(-1)).toEqual(['e'])
})

it('a statement has at most 128 ids', async () => {
  const { statements, read } = createReads()
  for (let id = 0; id < 300; id++) read('one', String(id))
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  for (const { succeed } of statements) succeed()
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  expect(statements.map(({ ids }) => ids.length)).toEqual([128, 128, 44])
})
