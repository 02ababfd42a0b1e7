import type { Command } from 'commander'
import { serve } from '../serve.js'
import { readConfig } from './with-store.js'

export const addServeCommand = (program: Command) =>
  program
    .command('serve')
    .description('serve the API until SIGTERM')
    .option('--json', 'log JSON lines even on a terminal')
    .action((options: { json?: boolean }) => serve(readConfig(), options))
