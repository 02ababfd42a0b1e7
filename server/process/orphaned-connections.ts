import type { Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'

/** What Node's cluster says to itself; not documented. Should that change, nothing is closed here. */
interface ClusterMessage {
  act?: string
  seq: number
  ack: number
  accepted: boolean
}
interface Connection {
  close(): void
}

/**
 * Node forgets, and so leaves open without an answer, a connection that it handed to a worker which did not live
 * to take it, or which was refused by the last worker to drain. Such are closed here.
 *
 * @param listening the workers that take connections
 */
export function closeOrphanedConnections(worker: Worker, listening: Set<Worker>) {
  const handed = new Map<number, Connection>()
  const child = worker.process as unknown as EventEmitter & { send(...args: unknown[]): boolean }
  const send = child.send.bind(child)
  child.send = (...args) => {
    const [message, connection] = args as [ClusterMessage, Connection]
    if (message.act === 'newconn') handed.set(message.seq, connection)
    return send(...args)
  }
  child.on('internalMessage', ({ act, ack, accepted }: ClusterMessage) => {
    if (act === 'close') listening.delete(worker)
    if (!accepted && listening.size === 0) handed.get(ack)?.close()
    handed.delete(ack)
  })
  worker.once('exit', () => {
    for (const connection of handed.values()) connection.close()
  })
}
