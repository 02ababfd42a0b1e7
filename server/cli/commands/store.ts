import type { Command } from '@commander-js/extra-typings'
import { usageError } from '../../domain/problem.js'
import { distribute } from '../../store/citus/distribute.js'
import { requireMigrated } from '../../store/open.js'
import { audit } from '../../telemetry/audit.js'
import type { Cli } from '../io/cli.js'
import { readConfig } from '../io/config.js'
import { withUnmigratedStore } from '../io/with-store.js'

export function configure(store: Command, { host }: Cli) {
  store
    .command('distribute')
    .description(
      'distribute the tables over the nodes of a Citus server, by database; stop all servers first',
    )
    .option('--json', 'print the result as JSON')
    .action(async (options) => {
      if (!readConfig().databaseUrl) {
        throw usageError(
          'DATABASE_URL must point to a Citus server. The embedded store cannot be distributed',
        )
      }
      await withUnmigratedStore(host, async (store, log) => {
        await requireMigrated(store)
        const distributed = await distribute(store)
        if (distributed.length > 0) audit(log, 'store.distributed', { tables: distributed })
        const text =
          distributed.length === 0
            ? 'The store is already distributed.'
            : `Distributed ${distributed.join(', ')}.`
        host.print(options, { distributed }, text)
      })
    })
}
