import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Store } from '../../../server/store/store.js'
import { revokeTokens } from '../../support/operator-changes.js'
import { percentile } from '../bench/figures.js'
import { isLong, report, times } from '../form.js'
import { path, it as stageTest, staleSeconds, verifierCount } from './stage.js'

const revocations = times(4, 300)
const intervalMs = times(200, 1_000)
const heldSeconds = times(1, 10)

type Backend = { outcome(token: string): Promise<string> }

/** Waits until a backend refuses a token. Returns the instant. */
async function refusal({ outcome }: Backend, token: string) {
  while ((await outcome(token)) !== 'token_invalid') await pause(20)
  return performance.now()
}

const it = stageTest.extend('revoke', ({ servers, api, backends }) => {
  /** Revokes the tokens of a new user. Returns when that began, and when each backend refused its token. */
  return async (store: Store = servers.store) => {
    const { id, token } = await api.signUp()
    for (const { outcome } of backends) expect(await outcome(token.jwt)).toBe('accepted')
    const startedAt = performance.now()
    const refusals = Promise.all(backends.map((backend) => refusal(backend, token.jwt)))
    await revokeTokens({ store, now: new Date() }, path, id)
    return { startedAt, refusedAt: await refusals }
  }
})

type Revoked = { startedAt: number; refusedAt: number[] }
/** Returns the milliseconds from before the commit. */
const latencies = ({ startedAt, refusedAt }: Revoked) => refusedAt.map((instant) => instant - startedAt)

const row = (title: string, samples: readonly number[]) => {
  const [p50, p90, p99, most] = [0.5, 0.9, 0.99, 1].map((part) => percentile(samples, part).toFixed(0))
  report(`| ${title} | ${samples.length} | ${p50} | ${p90} | ${p99} | ${most} |`)
}

it('backends refuse revoked tokens within 5 s', async ({ revoke }) => {
  const samples: number[][] = []
  for (let count = 0; count < revocations; count++) {
    samples.push(latencies(await revoke()))
    await pause(intervalMs * Math.random())
  }
  const all = samples.flat()
  expect(all).toHaveLength(revocations * verifierCount)
  row('three servers', all)
  if (isLong) expect(percentile(all, 0.99)).toBeLessThan(5_000)
})

it('backends refuse revoked tokens within 5 s while servers are killed', async ({ servers, revoke }) => {
  const ended = new AbortController()
  let kills = 0
  const killing = (async () => {
    do {
      await servers.kill(kills++ % 3)
      await pause(times(0, 2_000) * Math.random())
    } while (!ended.signal.aborted)
  })()
  const samples: number[][] = []
  for (let count = 0; count < revocations; count++) {
    samples.push(latencies(await revoke()))
    await pause(intervalMs * Math.random())
  }
  ended.abort()
  await killing
  const all = samples.flat()
  expect(all).toHaveLength(revocations * verifierCount)
  row(`three servers, ${kills} kills`, all)
  if (isLong) expect(percentile(all, 0.99)).toBeLessThan(5_000)
})

it('a transaction that stays open delays no revocation but its own', async ({ servers, revoke }) => {
  const { store } = servers
  let committedAt = 0
  const slow: Store = {
    ...store,
    transaction: (databaseId, work) =>
      store.transaction(databaseId, async (query) => {
        const result = await work(query)
        await pause(heldSeconds * 1000)
        committedAt = performance.now()
        return result
      }),
  }
  let isHeld = true
  const held = revoke(slow).finally(() => {
    isHeld = false
  })
  const others: number[][] = []
  do others.push(latencies(await revoke()))
  while (isHeld)
  const own = (await held).refusedAt.map((instant) => instant - committedAt)
  expect(Math.min(...own)).toBeGreaterThan(0)
  row(`others, while a commit takes ${heldSeconds} s`, others.flat())
  row('that commit itself', own)
  if (isLong) expect(percentile([...others.flat(), ...own], 0.99)).toBeLessThan(5_000)
})

it('a backend that is cut off does what onStale says, and catches up', async ({
  servers,
  api,
  startBackend,
}) => {
  const [refusing, accepting] = [startBackend('refuse'), startBackend('accept')]
  const [valid, revoked] = [await api.signUp(), await api.signUp()]
  const outcomes = ({ outcome }: Backend) =>
    Promise.all([outcome(valid.token.jwt), outcome(revoked.token.jwt)])
  for (const backend of [refusing, accepting])
    expect(await outcomes(backend)).toEqual(['accepted', 'accepted'])

  refusing.link.isCut = accepting.link.isCut = true
  await revokeTokens({ store: servers.store, now: new Date() }, path, revoked.id)
  const cutAt = performance.now()
  let acceptedUntil = cutAt
  for (;;) {
    const sentAt = performance.now()
    if ((await refusing.outcome(revoked.token.jwt)) !== 'accepted') break
    acceptedUntil = sentAt
    await pause(50)
  }
  report(`cut off: accepted a revoked token for ${((acceptedUntil - cutAt) / 1000).toFixed(1)} s`)
  expect(acceptedUntil - cutAt).toBeLessThan(staleSeconds * 1000)
  expect(await outcomes(refusing)).toEqual(['revocations_stale', 'revocations_stale'])
  expect(await outcomes(accepting)).toEqual(['accepted', 'accepted'])
  expect(accepting.revocations()?.isStale).toBe(true)

  refusing.link.isCut = accepting.link.isCut = false
  const healedAt = performance.now()
  for (const backend of [refusing, accepting]) {
    const seconds = ((await refusal(backend, revoked.token.jwt)) - healedAt) / 1000
    report(`connected again: refused a revoked token after ${seconds.toFixed(1)} s`)
    expect(await outcomes(backend)).toEqual(['accepted', 'token_invalid'])
  }
})
