import type { Command } from '@commander-js/extra-typings'
import { usageError } from '../../domain/problem.js'
import { databasePath, uuid } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { addPageOptions, pageOf, printPage } from '../io/listing.js'

const notRetriedOption = [
  '--not-retried',
  'all messages that wait for the operator, because they are no longer retried',
] as const

export function configure(outbox: Command, { host, call }: Cli) {
  addPageOptions(outbox.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the messages that are not delivered yet, oldest first')
    .option('--not-retried', 'only messages that wait for the operator, because they are no longer retried')
    .action(async (params, options) => {
      const query = { ...pageOf(options), ...(options.notRetried && { waiting: 'true' as const }) }
      const body = await call('listDeliveries', { params, query })
      printPage(host, options, {
        body,
        rows: body.deliveries,
        columns: {
          ID: ({ id }) => id,
          KIND: ({ kind }) => kind,
          TYPE: ({ type }) => type,
          ATTEMPTS: ({ attempts }) => attempts,
          DUE: ({ nextAt }) => nextAt ?? 'never',
          'LAST ERROR': ({ lastError }) => lastError ?? '',
        },
        empty: 'No messages.',
      })
    })
  const addMessageCommand = (
    name: string,
    {
      description,
      operation,
      done,
    }: { description: string; operation: 'retryDeliveries' | 'dropDeliveries'; done: string },
  ) =>
    outbox
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('[message]', 'id of the message', uuid)
      .description(description)
      .option(...notRetriedOption)
      .option('--json', 'print the result as JSON')
      .action(async (params, id, { json, notRetried }) => {
        if ((id === undefined) === (notRetried === undefined))
          throw usageError('either a message or --not-retried is required')
        const changed = await call(operation, { params, body: { id: id ?? null } })
        host.print({ json }, changed, `${done}: ${changed.messages}.`)
      })
  addMessageCommand('retry', {
    description: 'deliver a message now',
    operation: 'retryDeliveries',
    done: 'Messages to deliver again',
  })
  addMessageCommand('drop', {
    description: 'delete a message without delivering it',
    operation: 'dropDeliveries',
    done: 'Messages deleted',
  })
}
