import { describe, expect, it } from 'vitest'
import { times } from '../form.js'
import { type Interval, linearize, type Model } from './linearize.js'
import { randomOf } from './random.js'

/** Writes a value, or reads it. An unknown write has no end. */
interface Access extends Interval {
  writes?: number
  reads?: number
}

const register: Model<number, Access> = {
  initial: 0,
  step: (value, { writes, reads }) => writes ?? (reads === value ? value : undefined),
  keyOf: String,
}

const write = (writes: number, call: number, end: number): Access => ({ writes, call, return: end })
const read = (reads: number, call: number, end: number): Access => ({
  reads,
  call,
  return: end,
  isRead: true,
})

const verdictOf = (...history: Access[]) => linearize(register, history).is

describe('linearize', () => {
  it.for<[string, string, Access[]]>([
    [
      'finds an order against that of the calls',
      'linearizable',
      [write(1, 0, 9), write(2, 1, 9), read(1, 2, 9)],
    ],
    [
      'refuses a read of a value that was replaced before',
      'impossible',
      [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)],
    ],
    [
      'refuses two reads in opposite orders',
      'impossible',
      [write(1, 0, 1), write(2, 2, 9), read(2, 3, 4), read(1, 5, 6)],
    ],
    [
      'lets an unknown operation take effect late',
      'linearizable',
      [write(1, 0, Infinity), read(0, 1, 2), read(1, 3, 4)],
    ],
    ['lets an unknown operation take no effect', 'linearizable', [write(1, 0, Infinity), read(0, 1, 2)]],
    [
      'lets an unknown operation take effect once',
      'impossible',
      [write(1, 0, Infinity), read(1, 1, 2), write(2, 3, 4), read(1, 5, 6)],
    ],
    [
      'lets no unknown operation take effect before its call',
      'impossible',
      [read(1, 0, 1), write(1, 2, Infinity)],
    ],
  ])('%s', ([, expected, history]) => {
    expect(verdictOf(...history)).toBe(expected)
  })

  it('names the operations that no order explains', () => {
    const wrong = read(1, 4, 5)
    const history = [write(1, 0, 1), write(2, 2, 3), wrong, write(3, 6, 7)]
    expect(linearize(register, history)).toMatchObject({ is: 'impossible', state: 2, next: [wrong] })
  })

  it('gives up after a number of configurations', () => {
    const history = Array.from({ length: 12 }, (_, value) => write(value + 1, 0, 9))
    expect(linearize(register, [...history, read(99, 0, 9)], 100).is).toBe('undecided')
  })

  it('agrees with a search of all orders on random histories', () => {
    const random = randomOf(1)
    const counts = { linearizable: 0, impossible: 0, undecided: 0 }
    for (let round = 0; round < times(300, 30_000); round++) {
      const history = Array.from({ length: 6 }, () => {
        const [value, call] = [random.below(3), random.below(8)]
        const end = random.chance(0.2) ? Number.POSITIVE_INFINITY : call + random.below(5)
        return random.chance(0.5) ? write(value, call, end) : read(value, call, call + random.below(5))
      })
      const { is } = linearize(register, history)
      expect(is, JSON.stringify(history)).toBe(hasOrder(0, history) ? 'linearizable' : 'impossible')
      counts[is] += 1
    }
    expect(Math.min(counts.linearizable, counts.impossible)).toBeGreaterThan(times(50, 5_000))
  })
})

/** Tries all orders. */
function hasOrder(value: number, left: readonly Access[]): boolean {
  const end = Math.min(...left.map((each) => each.return))
  return (
    end === Number.POSITIVE_INFINITY ||
    left
      .filter(({ call }) => call <= end)
      .some((each) => {
        const next = register.step(value, each)
        return (
          next !== undefined &&
          hasOrder(
            next,
            left.filter((other) => other !== each),
          )
        )
      })
  )
}
