import cluster from 'node:cluster'
import type { Command } from 'commander'
import { serveWithWorkers } from '../../process/cluster.js'
import { serve } from '../../process/serve.js'
import { readConfig } from '../io/with-store.js'

export const addServeCommand = (program: Command) =>
  program
    .command('serve')
    .description('serve the API until SIGTERM')
    .option('--workers <number>', 'processes that serve, in place of WORKERS')
    .option('--json', 'log JSON lines even on a terminal')
    .action((options: { workers?: string; json?: boolean }) => {
      const config = readConfig(options.workers === undefined ? {} : { WORKERS: options.workers })
      if (config.workers > 1 && cluster.isPrimary) return serveWithWorkers(config, options)
      return serve(config, options).catch((error) => {
        // The channel to the first process would keep a worker that does not serve alive.
        cluster.worker?.disconnect()
        throw error
      })
    })
