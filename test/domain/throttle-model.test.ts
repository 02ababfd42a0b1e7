import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { AppContext } from '../../server/domain/context.js'
import { createDatabase } from '../../server/domain/management/databases.js'
import { createWorkspace } from '../../server/domain/management/workspaces.js'
import { verifyPassword } from '../../server/domain/passwords/authenticate.js'
import { currentDummyHash } from '../../server/domain/passwords/hasher.js'
import { ClientDisconnected } from '../../server/domain/problem.js'
import { Throttle } from '../../server/domain/throttle/login-throttle.js'
import { findLogin } from '../../server/store/queries/login.js'
import type { Store } from '../../server/store/store.js'
import type { Log } from '../../server/telemetry/audit.js'
import { it } from '../support/api.js'

/** A login with a wrong password. */
interface Guess {
  process: number
  address: string
  /** During which hash the client disconnects. 0: before the first one. */
  disconnectsIn: number
}

interface Burst {
  seconds: number
  guesses: Guess[]
  /** Only with one process, because others cannot know its counts while the store is read-only. */
  isReadOnly: boolean
  /** The process that restarts before the guesses. */
  restarts: number | undefined
}

const dummyHash = (passes: number) => currentDummyHash({ memoryKib: 8, passes, parallelism: 1 })

/** Notations of addresses in three networks. */
const notations = [
  ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1:40001', '64:ff9b::192.0.2.1'],
  ['2001:db8::1', '2001:db8::2', '[2001:db8::3]:443'],
  ['198.51.100.7'],
]
const networkOf = (address: string) => notations.findIndex((each) => each.includes(address))

const burst = (processes: number): fc.Arbitrary<Burst> =>
  fc.record({
    seconds: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1000 })),
    guesses: fc.array(
      fc.record({
        process: fc.nat({ max: processes - 1 }),
        address: fc.constantFrom(...notations.flat()),
        disconnectsIn: fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    isReadOnly: processes === 1 ? fc.boolean() : fc.constant(false),
    restarts:
      processes === 1
        ? fc.constant(undefined)
        : fc.option(fc.nat({ max: processes - 1 }), { nil: undefined }),
  })

/** Returns the minimum number of seconds that a number of guesses from one network take. */
function minSeconds(verified: number, free: number) {
  let seconds = 0
  for (let failures = free; failures < verified; failures++) seconds += Math.min(2 ** (failures - free), 900)
  return seconds
}

async function simulate(store: Store, processes: number, bursts: Burst[]) {
  let now = Date.parse('2026-03-01T12:00:00Z')
  let isReadOnly = false
  const path = { workspaceSlug: `model-${randomUUID().slice(0, 8)}`, databaseName: 'app' }
  await createWorkspace(store, path.workspaceSlug, new Date(now))
  const { id } = await createDatabase({ store, now: new Date(now) }, path, {})
  const query: Store['query'] = (text, values) =>
    isReadOnly && /INSERT|UPDATE|DELETE/.test(text)
      ? Promise.reject(Object.assign(new Error('read-only'), { severity: 'ERROR', code: '25006' }))
      : store.query(text, values)
  const start = () => new Throttle({ ...store, query }, { now: () => now, workers: processes })
  const throttles = Array.from({ length: processes }, start)
  const verifiedAt = notations.map(() => [] as number[])

  async function guess({ process, address, disconnectsIn }: Guess) {
    const throttle = throttles[process] as Throttle
    const attempt = throttle.keys.attempt(id, 'ada@example.com', address)
    let started = 0
    const client = {
      network: '',
      deadline: Number.POSITIVE_INFINITY,
      isDisconnected: () => started >= disconnectsIn,
      onceDisconnected: () => () => undefined,
      log: {} as Log,
    }
    const hashing = {
      dummyHash: dummyHash(1),
      verify: async () => {
        if (client.isDisconnected()) throw new ClientDisconnected()
        started += 1
        if (started === 1) verifiedAt[networkOf(address)]?.push(now)
        await new Promise(setImmediate)
        return false
      },
    } as unknown as AppContext['hashing']
    const read = () => findLogin(store, { databaseId: id, canonicalEmail: 'ada@example.com' }, attempt)
    const verify = () =>
      verifyPassword(
        { hashing },
        { dummyHashes: [dummyHash(2)] },
        { user: undefined, password: 'wrong', client },
      )
    await throttle.guard({ databaseId: id, attempt, client, read, verify }).catch((error) => {
      if (error.code !== 'too_many_attempts' && !(error instanceof ClientDisconnected)) throw error
    })
  }

  for (const { seconds, guesses, isReadOnly: refusesWrites, restarts } of bursts) {
    now += seconds * 1000
    isReadOnly = refusesWrites
    if (restarts !== undefined) throttles[restarts] = start()
    await Promise.all(guesses.map(guess))
  }
  return verifiedAt
}

it.for([1, 2, 3])(
  'verifies no more wrong guesses than the rules allow, with %s processes',
  async (processes, { store }) => {
    // Each process can have guesses in progress that the others do not know of yet.
    const free = 5 + (processes - 1) * Math.floor(5 / processes)
    await fc.assert(
      fc.asyncProperty(fc.array(burst(processes), { minLength: 1, maxLength: 8 }), async (bursts) => {
        for (const times of await simulate(store, processes, bursts)) {
          const [first = 0] = times
          for (const [index, at] of times.entries()) {
            expect((at - first) / 1000).toBeGreaterThanOrEqual(minSeconds(index + 1, free))
          }
        }
      }),
      { numRuns: 10 },
    )
  },
)
