import type { Command } from '@commander-js/extra-typings'
import { expireCursors } from '../../domain/management/expire-cursors.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { withStore } from '../io/with-store.js'

export function configure(events: Command, host: Host) {
  events
    .command('expire-cursors')
    .argument('[workspace/name]', 'database; all databases by default', databasePath)
    .description('expire all cursors of events and revocations, so that backends read everything again')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(host, async (store, _config, log) => {
        const expired = await expireCursors(store, path)
        audit(log, 'events.cursors_expired', expired)
        host.print(options, expired, `Databases whose cursors expired: ${expired.databases}.`)
      }),
    )
}
