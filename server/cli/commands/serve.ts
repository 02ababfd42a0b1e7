import cluster from 'node:cluster'
import type { Command } from '@commander-js/extra-typings'
import type { Logger } from 'pino'
import type { Config } from '../../config.js'
import { Problem } from '../../domain/problem.js'
import type { Usher } from '../../index.js'
import { serveWithWorkers } from '../../process/cluster.js'
import { serve } from '../../process/serve.js'
import type { Host, Run } from '../io/host.js'
import { readConfig } from '../io/with-store.js'
import { listenForCommands } from '../running-server/listen.js'

export const configure = (command: Command, host: Host, run: Run) =>
  command
    .option('--workers <number>', 'number of processes that serve; overrides WORKERS')
    .option('--json', 'log JSON lines even on a terminal')
    .action(async (options) => {
      const config = readConfig(host, options.workers === undefined ? {} : { WORKERS: options.workers })
      const listen = ({ context: { store } }: Usher, log: Logger) =>
        listenForCommands({ config, store, log, run })
      const start = config.workers > 1 && cluster.isPrimary ? serveWithWorkers : serve
      try {
        await start(config, {
          ...options,
          runCommand: async (...parameters) => {
            const { runForOperators } = await import('../remote/run-for-operator.js')
            await runForOperators({ config, run })(...parameters)
          },
          ...(!config.databaseUrl && { listenForCommands: listen }),
        })
      } catch (error) {
        // Otherwise the channel to the primary process keeps a worker alive that cannot serve.
        cluster.worker?.disconnect()
        throw portInUse(error, config) ?? error
      }
    })

function portInUse(error: unknown, { metrics }: Config) {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE') return undefined
  const setting = port === metrics?.port ? 'METRICS_PORT' : 'PORT'
  return new Problem('port_in_use', {
    detail: `Port ${port} is already in use. Set ${setting} to another one.`,
  })
}
