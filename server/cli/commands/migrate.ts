import type { Command } from 'commander'
import { migrate } from '../../store/migrate.js'
import { print, withTables } from '../io/with-store.js'

export const addMigrateCommand = (program: Command) =>
  program
    .command('migrate')
    .description('bring the store up to date')
    .option('--json', 'print JSON')
    .action((options) =>
      withTables(async (store) => {
        const applied = await migrate(store.prisma)
        const line = applied.length === 0 ? 'The store is up to date.' : `Applied: ${applied.join(', ')}`
        print(options, { applied }, line)
      }),
    )
