import cluster from 'node:cluster'
import { pino } from 'pino'

/** Creates the log of a server. @param options.json whether to write JSON lines even on a terminal */
export async function createLogger({ logLevel }: { logLevel: string }, options: { json?: boolean }) {
  const isReadable = process.stdout.isTTY && !options.json
  const stream = isReadable ? (await import('pino-pretty')).default() : batchedStdout()
  const log = pino({ level: logLevel }, stream)
  return cluster.worker ? log.child({ worker: cluster.worker.id }) : log
}

/** Writes lines in batches of 8 KiB or 100 ms, because a write per line takes a tenth of the time of a login. */
function batchedStdout() {
  const stdout = pino.destination({ minLength: 8192, periodicFlush: 100, sync: true })
  process.on('exit', () => stdout.flushSync())
  return stdout
}
