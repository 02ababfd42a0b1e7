import cluster from 'node:cluster'
import type { Command } from '@commander-js/extra-typings'
import { type Config, ConfigError } from '../../config.js'
import { Problem } from '../../domain/problem.js'
import { serveWithWorkers } from '../../process/cluster.js'
import { serve } from '../../process/serve.js'
import { readConfig } from '../io/config.js'

export const configure = (command: Command) =>
  command
    .option('--workers <number>', 'number of processes that serve; overrides WORKERS')
    .option('--json', 'log JSON lines even on a terminal')
    .action(async (options) => {
      const config = readConfig(options.workers === undefined ? {} : { WORKERS: options.workers })
      const start = config.workers > 1 && cluster.isPrimary ? serveWithWorkers : serve
      try {
        await start(config, options)
      } catch (error) {
        // Otherwise the channel to the primary process keeps a worker alive that cannot serve.
        cluster.worker?.disconnect()
        throw listenError(error, config) ?? error
      }
    })

/** Returns the error of a setting if the server cannot listen as it says. Undefined for other errors. */
function listenError(error: unknown, { host, managementPort, metrics }: Config) {
  const { code, syscall, hostname, address, port } = error as NodeJS.ErrnoException & {
    hostname?: string
    address?: string
    port?: number
  }
  const isOfMetrics = port === undefined ? hostname !== host : port === metrics?.port
  const hostSetting = isOfMetrics ? 'METRICS_HOST' : 'HOST'
  if (syscall === 'getaddrinfo' && (hostname === host || hostname === metrics?.host))
    return new ConfigError([
      `${hostSetting} must be an address of this machine. ${hostname} is unknown (${code})`,
    ])
  // A worker binds in its first process.
  if (syscall !== 'listen' && syscall !== 'bind') return undefined
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL')
    return new ConfigError([
      `${hostSetting} must be an address of this machine, such as 0.0.0.0. ${address} is none`,
    ])
  const portSetting = isOfMetrics ? 'METRICS_PORT' : port === managementPort ? 'MANAGEMENT_PORT' : 'PORT'
  if (code === 'EACCES')
    return new ConfigError([
      `${portSetting} must be a port on which this process may listen. ${port} is none`,
    ])
  if (code !== 'EADDRINUSE') return undefined
  return new Problem('port_in_use', {
    detail: `Port ${port} is already in use. Set ${portSetting} to another one.`,
  })
}
