import { expect, it } from 'vitest'
import { createFairQueue } from '../../server/domain/passwords/fair-queue.js'

/** Returns a queue with items, each as `network item`. */
function queueOf(...items: string[]) {
  const queue = createFairQueue<string>((network) => network)
  for (const item of items) queue.push(item.split(' ')[0] ?? '', item)
  return queue
}

/** Removes all items, in their order. */
function drain(queue: ReturnType<typeof queueOf>) {
  const items: (string | undefined)[] = []
  while (queue.size() > 0) items.push(queue.shift())
  return items
}

it('networks take turns', () => {
  const queue = queueOf('a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1')
  expect(queue.size()).toBe(6)
  expect(drain(queue)).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3'])
  expect(queue.shift()).toBeUndefined()
})

it('a network whose items were all taken goes to the end', () => {
  const queue = queueOf('a 1', 'b 1', 'b 2')
  expect(queue.shift()).toBe('a 1')
  queue.push('a', 'a 2')
  expect(drain(queue)).toEqual(['b 1', 'a 2', 'b 2'])
})

it.for<[how: string, empty: (queue: ReturnType<typeof queueOf>) => unknown]>([
  ['taken', (queue) => queue.shift()],
  ['removed', (queue) => queue.remove('a', 'a 1')],
  [
    'removed while one was held',
    (queue) => {
      const release = queue.hold('a')
      queue.remove('a', 'a 1')
      release()
    },
  ],
])('a network whose last item was %s is forgotten', ([, empty]) => {
  const queue = queueOf('a 1')
  empty(queue)
  for (const item of ['b 1', 'b 2', 'a 2']) queue.push(item.slice(0, 1), item)
  expect(drain(queue)).toEqual(['b 1', 'a 2', 'b 2'])
})

it('removes an item that is in the queue', () => {
  const queue = queueOf('a 1', 'a 2', 'a 3', 'b 1')
  expect(queue.remove('a', 'a 2')).toBe(true)
  expect([queue.remove('a', 'a 2'), queue.remove('c', 'a 1'), queue.remove('b', 'a 1')]).toEqual([
    false,
    false,
    false,
  ])
  expect(drain(queue)).toEqual(['a 1', 'b 1', 'a 3'])
})

it.for(['a', 'b', 'c', 'd'])('counts what comes before a new item of a network: %s', (network) => {
  const items = ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1']
  const ahead = queueOf(...items).ahead(network)
  expect(drain(queueOf(...items, `${network} new`)).indexOf(`${network} new`)).toBe(ahead)
  expect(queueOf().ahead(network)).toBe(0)
})

it('counts held items only if asked, and until they are released', () => {
  const queue = queueOf('a 1')
  const releases = ['b', 'b', 'a', 'a'].map((network) => queue.hold(network))
  expect([queue.size(), queue.ahead('a'), queue.ahead('c')]).toEqual([1, 1, 1])
  expect(['a', 'b', 'c'].map((network) => queue.ahead(network, true))).toEqual([5, 5, 2])
  for (const release of releases) release()
  expect(['a', 'b', 'c'].map((network) => queue.ahead(network, true))).toEqual([1, 1, 1])
  expect(drain(queue)).toEqual(['a 1'])
})

it('a network with held items only is passed over, and keeps its turn', () => {
  const queue = queueOf()
  const release = queue.hold('a')
  queue.push('b', 'b 1')
  queue.push('b', 'b 2')
  expect(queue.shift()).toBe('b 1')
  queue.push('a', 'a 1')
  expect(queue.shift()).toBe('a 1')
  // Because of the held item, it is still known.
  expect(queue.ahead('a', true)).toBe(2)
  release()
  expect(queue.ahead('a', true)).toBe(1)
  expect(drain(queue)).toEqual(['b 2'])
})

/** Returns a queue of networks like `a.1`, in groups like `a`. */
function groupedQueueOf(...networks: string[]) {
  const queue = createFairQueue<string>(
    (network) => network.slice(0, 1),
    (network) => network,
  )
  for (const network of networks) queue.push(network, network)
  return queue
}

it('groups take turns, and within a group its networks', () => {
  const queue = groupedQueueOf('a.1', 'a.1', 'a.2', 'a.3', 'b.1', 'b.1', 'c.1')
  expect(drain(queue)).toEqual(['a.1', 'b.1', 'c.1', 'a.2', 'b.1', 'a.3', 'a.1'])
})

it.for(['a.1', 'a.4', 'b.1', 'b.2', 'c.1', 'd.1'])(
  'counts what comes before a new item in a group: %s',
  (network) => {
    const queue = groupedQueueOf('a.1', 'a.1', 'a.2', 'a.3', 'b.1', 'b.1', 'c.1')
    const ahead = queue.ahead(network)
    queue.push(network, 'new')
    expect(drain(queue).indexOf('new')).toBeLessThanOrEqual(ahead)
    expect(groupedQueueOf().ahead(network)).toBe(0)
  },
)

it('a network of a group with many networks does not delay other groups', () => {
  const queue = groupedQueueOf(...Array.from({ length: 300 }, (_, index) => `a.${index}`))
  expect([queue.ahead('b.1'), queue.ahead('a.new')]).toEqual([1, 300])
  const releases = Array.from({ length: 300 }, (_, index) => queue.hold(`b.${index}`))
  expect([queue.ahead('c.1'), queue.ahead('c.1', true)]).toEqual([1, 2])
  for (const release of releases) release()
  expect(queue.ahead('c.1', true)).toBe(1)
})
