import type { Command } from '@commander-js/extra-typings'
import { expireCursors } from '../../domain/management/expire-cursors.js'
import { tailEvents } from '../../domain/management/outbox.js'
import { usageError } from '../../domain/problem.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, wholeNumber } from '../io/arguments.js'
import { print, readConfig, withStore } from '../io/with-store.js'

export function configure(events: Command) {
  configureTail(events)
  events
    .command('expire-cursors')
    .argument('[workspace/name]', 'database; all databases by default', databasePath)
    .description('expire all cursors of events and revocations, after a restore from a backup')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(async (store, _config, log) => {
        const expired = await expireCursors(store, path)
        audit(log, 'events.cursors_expired', expired)
        print(options, expired, `Databases whose cursors expired: ${expired.databases}.`)
      }),
    )
}

function configureTail(events: Command) {
  events
    .command('tail')
    .argument('<workspace/name>', 'database', databasePath)
    .description('print the events of a database as they happen, as lines of JSON, until Ctrl-C')
    .option('--seconds <number>', 'stop after this time', wholeNumber(1, 86_400))
    .action((path, { seconds }) => {
      if (!readConfig().databaseUrl) {
        throw usageError(
          'DATABASE_URL must point to a Postgres server. Only one process can open the embedded store',
        )
      }
      return withStore(async (store) => {
        const stopping = new AbortController()
        const stop = () => stopping.abort()
        const timer = seconds && setTimeout(stop, seconds * 1000)
        // Emitted when the reader of a pipe exits.
        process.stdout.once('error', stop)
        for await (const event of tailEvents(store, path, { stopped: stopping.signal, now: Date.now }))
          print({ json: true }, event, '')
        clearTimeout(timer)
      })
    })
}
