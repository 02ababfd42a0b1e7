import type { Command } from 'commander'
import { migrate } from '../store/migrate.js'
import { openForMigration } from '../store/open.js'
import { print, readConfig } from './with-store.js'

export const addMigrateCommand = (program: Command) =>
  program
    .command('migrate')
    .description('bring the store up to date')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const store = await openForMigration(readConfig())
      try {
        const applied = await migrate(store.prisma)
        const line = applied.length === 0 ? 'The store is up to date.' : `Applied: ${applied.join(', ')}`
        print(options, { applied }, line)
      } finally {
        await store.close()
      }
    })
