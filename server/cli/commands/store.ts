import type { Command } from 'commander'
import { UsageError } from '../../domain/admin/operator-error.js'
import { distribute } from '../../store/citus/distribute.js'
import { requireMigrated } from '../../store/open.js'
import { audit } from '../../telemetry/audit.js'
import { print, readConfig, withTables } from '../io/with-store.js'

export function addStoreCommands(program: Command) {
  const commands = program.command('store').description('what Usher keeps everything in')
  commands
    .command('distribute')
    .description(
      'spread a store on a Citus server over its nodes, database by database; stop the servers first',
    )
    .option('--json', 'print JSON')
    .action(async (options) => {
      if (!readConfig().databaseUrl) {
        throw new UsageError('the embedded store is one process; DATABASE_URL must name a Citus server')
      }
      await withTables(async (store, log) => {
        await requireMigrated(store)
        const distributed = await distribute(store.prisma)
        if (distributed.length > 0) audit(log, 'store.distributed', { tables: distributed })
        const line =
          distributed.length === 0
            ? 'The store is distributed already.'
            : `Distributed: ${distributed.join(', ')}`
        print(options, { distributed }, line)
      })
    })
}
