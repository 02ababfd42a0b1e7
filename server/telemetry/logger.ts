import cluster from 'node:cluster'
import { pino } from 'pino'
import pretty from 'pino-pretty'

/**
 * The log of a server, on stdout. The lines of a worker carry its number.
 *
 * @param options.json JSON lines on a terminal too, as elsewhere
 */
export function createLogger({ logLevel }: { logLevel: string }, options: { json?: boolean }) {
  const forPeople = process.stdout.isTTY && !options.json
  const log = pino({ level: logLevel }, forPeople ? pretty() : stdoutByMoments())
  return cluster.worker ? log.child({ worker: cluster.worker.id }) : log
}

/** What gathers before it is written in any case. */
const mostBytes = 8192

/** How long a line may wait for others to be written with. */
const flushMilliseconds = 100

/** Stdout, with the lines of a moment in one write: one for each line costs much of what a read costs. */
function stdoutByMoments() {
  const stdout = pino.destination({ minLength: mostBytes, sync: true })
  const flush = () => {
    isDue = false
    // Not flushSync, which asks the disk to keep it, too.
    stdout.flush()
  }
  let isDue = false
  process.on('exit', () => stdout.flushSync())
  return {
    write(line: string) {
      stdout.write(line)
      if (!isDue) setTimeout(flush, flushMilliseconds)
      isDue = true
    },
  }
}
