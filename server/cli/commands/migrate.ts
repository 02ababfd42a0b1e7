import type { Command } from '@commander-js/extra-typings'
import { migrate, pendingMigrations } from '../../store/migrate.js'
import type { Cli } from '../io/cli.js'
import { withUnmigratedStore } from '../io/with-store.js'

export const configure = (command: Command, { host }: Cli) =>
  command.option('--json', 'print the result as JSON').action((options) =>
    withUnmigratedStore(host, async (store) => {
      const applied = (await pendingMigrations(store)).length > 0 ? await migrate(store) : []
      const text = applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`
      host.print(options, { applied }, text)
    }),
  )
