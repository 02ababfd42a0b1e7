import cluster, { type Worker } from 'node:cluster'
import { hostname } from 'node:os'
import { v7 as uuidv7 } from 'uuid'
import { type Report, reportOf } from '../domain/operators/servers/report.js'
import { createLastHour, reportMilliseconds, type ServerStatus } from '../domain/operators/servers/status.js'
import type { Usher } from '../index.js'
import { answer, ask } from '../metrics/ask-worker.js'

const question = 'status'

/** Tells a worker to store the status of the server. */
interface PutMessage {
  putStatus: ServerStatus
}

/** In a process that serves: stores the status of the server, or lets the primary process do it with those of all workers. */
export function followStatus({ report, putStatus }: Usher, { port }: { port: number }) {
  if (!cluster.isWorker) return startStatus(port, async () => [report()], putStatus)
  answer(question, report)
  process.on('message', (message: Partial<PutMessage>) => {
    if (message.putStatus) putStatus(message.putStatus)
  })
}

/** In the primary process: combines the status of the workers, and lets one of them store it. */
export const startClusterStatus = (port: number, listening: ReadonlySet<Worker>) =>
  startStatus(
    port,
    async () => {
      const reports = await Promise.all([...listening].map((worker) => ask<Report>(worker, question)))
      return reports.flatMap((report) => report ?? [])
    },
    (putStatus) => {
      const [worker] = listening
      const message: PutMessage = { putStatus }
      // The worker may exit before the message arrives.
      worker?.send(message, () => undefined)
    },
  )

/** Reports now and every 15 s, without keeping the process alive. */
function startStatus(port: number, collect: () => Promise<Report[]>, put: (server: ServerStatus) => unknown) {
  const server = { id: uuidv7(), name: `${hostname()}:${port}`, startedAt: Date.now() }
  const addLastHour = createLastHour()
  const report = async () => {
    const [first, ...others] = await collect()
    if (first) put({ ...server, status: addLastHour(reportOf([first, ...others]), Date.now()) })
  }
  setInterval(report, reportMilliseconds).unref()
  report()
}
