import cluster from 'node:cluster'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config.js'

/**
 * The log of a server, on stdout. The lines of a worker carry its number.
 *
 * @param options.json JSON lines on a terminal too, as elsewhere
 */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>, options: { json?: boolean }) {
  const forPeople = process.stdout.isTTY && !options.json
  const log = pino({ level: logLevel }, forPeople ? pretty() : undefined)
  return cluster.worker ? log.child({ worker: cluster.worker.id }) : log
}
