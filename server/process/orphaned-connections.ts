import type { Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'

/** An undocumented message of Node's cluster module. If it changes, no connection is closed here. */
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
 * Closes connections that no worker accepted. Node leaves a connection open without a response if its worker exits
 * before accepting it, or if the last draining worker rejects it.
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
