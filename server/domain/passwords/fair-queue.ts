/** Items of several networks, which take turns. A network with many items delays only its own items. */
export interface FairQueue<Item> {
  push(network: string, item: Item): void
  /** Removes and returns the next item. */
  shift(): Item | undefined
  /** Returns whether the item was in the queue. */
  remove(network: string, item: Item): boolean
  /** Counts an item that will be pushed later, until the returned function is called. */
  hold(network: string): () => void
  /** Returns the number of items that come before a new one of the network. @param withHeld counts held ones, too */
  ahead(network: string, withHeld?: boolean): number
  /** Number of items. @param withHeld counts held ones, too */
  size(withHeld?: boolean): number
}

/**
 * Creates a queue, which keeps state only for networks that have items.
 *
 * @param groups return what takes turns, from the outermost group of a network to the network itself. The items of a group
 * share its turns
 */
export function createFairQueue<Item>(...groups: ((network: string) => string)[]): FairQueue<Item> {
  const [groupOf, ...inner] = groups
  return groupOf ? createTurns(groupOf, () => createFairQueue(...inner)) : createList()
}

function createTurns<Item>(
  groupOf: (network: string) => string,
  newQueue: () => FairQueue<Item>,
): FairQueue<Item> {
  // In the order of their turns.
  const queues = new Map<string, FairQueue<Item>>()

  function queueOf(group: string) {
    const queue = queues.get(group) ?? newQueue()
    queues.set(group, queue)
    return queue
  }

  function deleteEmpty(group: string) {
    if (queues.get(group)?.size(true) === 0) queues.delete(group)
  }

  return {
    push: (network, item) => queueOf(groupOf(network)).push(network, item),
    shift() {
      for (const [group, queue] of queues) {
        const item = queue.shift()
        if (item === undefined) continue
        queues.delete(group)
        if (queue.size(true) > 0) queues.set(group, queue)
        return item
      }
      return undefined
    },
    remove(network, item) {
      const group = groupOf(network)
      const isRemoved = queues.get(group)?.remove(network, item) ?? false
      deleteEmpty(group)
      return isRemoved
    },
    hold(network) {
      const group = groupOf(network)
      const release = queueOf(group).hold(network)
      return () => {
        release()
        deleteEmpty(group)
      }
    },
    ahead(network, withHeld) {
      const own = queues.get(groupOf(network))
      const aheadInGroup = own?.ahead(network, withHeld) ?? 0
      let ahead = aheadInGroup
      for (const queue of queues.values())
        if (queue !== own) ahead += Math.min(queue.size(withHeld), aheadInGroup + 1)
      return ahead
    },
    size(withHeld) {
      let size = 0
      for (const queue of queues.values()) size += queue.size(withHeld)
      return size
    },
  }
}

function createList<Item>(): FairQueue<Item> {
  const items: Item[] = []
  let held = 0
  const size = (withHeld = false) => items.length + (withHeld ? held : 0)
  return {
    push: (_network, item) => void items.push(item),
    shift: () => items.shift(),
    remove(_network, item) {
      const at = items.indexOf(item)
      if (at >= 0) items.splice(at, 1)
      return at >= 0
    },
    hold() {
      held += 1
      return () => {
        held -= 1
      }
    },
    ahead: (_network, withHeld) => size(withHeld),
    size,
  }
}
