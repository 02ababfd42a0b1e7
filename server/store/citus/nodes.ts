import { isUnconnected, reasonOf, UnavailableError } from '../errors.js'
import type { Store, Transactions } from '../store.js'
import { createTurns, type Place } from './turns.js'

// A store on Citus may be used through any node. The node that has a database's rows needs no other one for them.

/** How long a node that accepts no connection is avoided. Then one statement tries it. */
const avoidMilliseconds = 5_000

/** Time limit of opening a connection to a node: with the time limit of a statement, less than 2 s. */
export const connectMilliseconds = 600

export interface NodeSettings {
  /** Maximum number of connections to a node. */
  connections: number
  /** Opens the store through a node. @param name `host:port` */
  open(name: string): Store
  /** Called if a node accepts no connection any more. */
  warn?: ((message: string) => void) | undefined
}

interface Node {
  name: string
  store: Store
  /** When a connection was last refused. Undefined if the last one was accepted. */
  failedAt: number | undefined
}

/** Runs a statement or a transaction, or checks the node. */
export type AnyNodeWork<Result> = (queries: Transactions & Pick<Store, 'isReadOnly'>) => Promise<Result>

/** The nodes of a distributed store, each with its own connections. */
export type Nodes = ReturnType<typeof createNodes>

/** @param first the store through the node of DATABASE_URL */
export function createNodes(first: Store, { connections, open, warn }: NodeSettings) {
  const inTurnOf = createTurns(connections)
  const firstNode: Node = { name: 'of DATABASE_URL', store: first, failedAt: undefined }
  const nodes = new Map<string, Node>()

  function nodeOf(name: string) {
    const node = nodes.get(name) ?? { name, store: open(name), failedAt: undefined }
    nodes.set(name, node)
    return node
  }

  /** Runs work on a node. Returns the error if it did not run because the node accepts no connection. */
  async function tryOn<Result>(
    node: Node,
    work: () => Promise<Result>,
  ): Promise<{ result: Result } | { error: unknown }> {
    try {
      const result = await work()
      node.failedAt = undefined
      return { result }
    } catch (error) {
      // Its turn was refused because the statement before it got no connection.
      const isRefused = node.failedAt !== undefined && error instanceof UnavailableError
      if (!isRefused && !isUnconnected(error)) {
        if (!(error instanceof UnavailableError)) node.failedAt = undefined
        throw error
      }
      if (node.failedAt === undefined) warn?.(`no connection to node ${node.name}: ${reasonOf(error)}`)
      node.failedAt = performance.now()
      return { error }
    }
  }

  return {
    /**
     * Runs work in turn on the node that has the rows, with the time limit of each statement.
     *
     * @param otherwise what runs instead if the node accepts no connection
     */
    async onNodeOf<Result>(
      place: Place,
      work: (queries: Transactions, milliseconds: number) => Promise<Result>,
      otherwise: () => Promise<Result>,
    ): Promise<Result> {
      const node = nodeOf(place.worker)
      if (!mayTry(node)) return otherwise()
      const done = await tryOn(node, () => inTurnOf(place, (milliseconds) => work(node.store, milliseconds)))
      return 'result' in done ? done.result : otherwise()
    },

    /** Runs work on the node of DATABASE_URL. If it accepts no connection, runs the work on another node. */
    async onAnyNode<Result>(work: AnyNodeWork<Result>): Promise<Result> {
      let failure: unknown
      for (const node of [firstNode, ...nodes.values()]) {
        if (!mayTry(node)) continue
        const done = await tryOn(node, () => work(node.store))
        if ('result' in done) return done.result
        failure ??= done.error
      }
      if (failure !== undefined) throw failure
      const done = await tryOn(firstNode, () => work(first))
      if ('result' in done) return done.result
      throw done.error
    },

    /** The number of connections to all nodes. */
    connections: () =>
      sumOf([firstNode, ...nodes.values()].flatMap(({ store }) => store.connections?.() ?? [])),

    async close() {
      await Promise.all([...nodes.values()].map(({ store }) => store.close()))
    },
  }
}

/** Returns whether a statement may use a node. */
function mayTry(node: Node) {
  if (node.failedAt === undefined) return true
  if (performance.now() - node.failedAt < avoidMilliseconds) return false
  node.failedAt = performance.now()
  return true
}

type Connections = ReturnType<NonNullable<Store['connections']>>

const sumOf = (all: readonly Connections[]) =>
  all.reduce((sum, each) => ({
    total: sum.total + each.total,
    idle: sum.idle + each.idle,
    waiting: sum.waiting + each.waiting,
    max: sum.max + each.max,
  }))
