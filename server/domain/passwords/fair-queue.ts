/** Items of several networks, which take turns. A network with many items delays only its own items. */
export interface FairQueue<Item> {
  push(network: string, item: Item): void
  /** Removes and returns the next item. */
  shift(): Item | undefined
  /** Returns whether the item was in the queue. */
  remove(network: string, item: Item): boolean
  /** Counts an item that will be pushed later, until the returned function is called. */
  hold(network: string): () => void
  /** Returns the number of items that come before a new one of the network. */
  ahead(network: string): number
  /** Returns the number of items and held items that come before a new one of the network. */
  aheadWithHeld(network: string): number
  /** Number of items, without held ones. */
  size(): number
}

interface Line<Item> {
  items: Item[]
  held: number
}

/** Creates a queue, which keeps state only for networks that have items. */
export function createFairQueue<Item>(): FairQueue<Item> {
  // In the order of their turns.
  const lines = new Map<string, Line<Item>>()

  function lineOf(network: string) {
    const line = lines.get(network) ?? { items: [], held: 0 }
    lines.set(network, line)
    return line
  }

  function deleteEmpty(network: string, { items, held }: Line<Item>) {
    if (items.length + held === 0) lines.delete(network)
  }

  function countAhead(network: string, lengthOf: (line: Line<Item>) => number) {
    const own = lines.get(network)
    const rounds = own ? lengthOf(own) + 1 : 1
    let ahead = rounds - 1
    for (const line of lines.values()) if (line !== own) ahead += Math.min(lengthOf(line), rounds)
    return ahead
  }

  return {
    push: (network, item) => void lineOf(network).items.push(item),
    shift() {
      for (const [network, line] of lines) {
        const item = line.items.shift()
        if (item === undefined) continue
        lines.delete(network)
        if (line.items.length + line.held > 0) lines.set(network, line)
        return item
      }
      return undefined
    },
    remove(network, item) {
      const line = lines.get(network)
      const at = line?.items.indexOf(item) ?? -1
      if (!line || at < 0) return false
      line.items.splice(at, 1)
      deleteEmpty(network, line)
      return true
    },
    hold(network) {
      const line = lineOf(network)
      line.held += 1
      return () => {
        line.held -= 1
        deleteEmpty(network, line)
      }
    },
    ahead: (network) => countAhead(network, ({ items }) => items.length),
    aheadWithHeld: (network) => countAhead(network, ({ items, held }) => items.length + held),
    size: () => [...lines.values()].reduce((sum, { items }) => sum + items.length, 0),
  }
}
