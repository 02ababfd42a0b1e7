import type { Command } from '@commander-js/extra-typings'
import { databasePath } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'

export function configure(events: Command, { host, call }: Cli) {
  events
    .command('expire-cursors')
    .argument('[workspace/name]', 'database; all databases by default', databasePath)
    .description('expire all cursors of events and revocations, so that backends read everything again')
    .option('--json', 'print the result as JSON')
    .action(async (path, options) => {
      const expired = await call('expireCursors', { body: { database: path ?? null } })
      host.print(options, expired, `Databases whose cursors expired: ${expired.databases}.`)
    })
}
