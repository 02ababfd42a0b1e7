import type { Command } from '@commander-js/extra-typings'
import { migrate, pendingMigrations } from '../../store/migrate.js'
import { print, withUnmigratedStore } from '../io/with-store.js'

export const configure = (command: Command) =>
  command.option('--json', 'print the result as JSON').action((options) =>
    withUnmigratedStore(async (store) => {
      const applied = (await pendingMigrations(store)).length > 0 ? await migrate(store) : []
      const text = applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`
      print(options, { applied }, text)
    }),
  )
