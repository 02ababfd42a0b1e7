import type { Command } from '@commander-js/extra-typings'
import { changeMessages, listMessages, type MessageChange } from '../../domain/management/outbox.js'
import { usageError } from '../../domain/problem.js'
import { databasePath, uuid } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { withDatabase, withStore } from '../io/with-store.js'

const notRetriedOption = [
  '--not-retried',
  'all messages that wait for the operator, because they are no longer retried',
] as const

export function configure(outbox: Command, host: Host) {
  addPageOptions(outbox.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the messages that are not delivered yet, oldest first')
    .option('--not-retried', 'only messages that wait for the operator, because they are no longer retried')
    .action((path, options) =>
      withStore(host, async (store) => {
        const messages = await listMessages(store, path, {
          ...options,
          onlyNotRetried: options.notRetried === true,
        })
        printPage(host, options, {
          rows: messages,
          columns: {
            ID: ({ id }) => id,
            KIND: ({ kind }) => kind,
            TYPE: ({ payload }) => typeOf(payload),
            ATTEMPTS: ({ attempts }) => attempts,
            DUE: ({ dueAt }) => dueAt?.toISOString() ?? 'never',
            'LAST ERROR': ({ lastError }) => lastError ?? '',
          },
          key: ({ id }) => id,
          empty: 'No messages.',
        })
      }),
    )
  const addMessageCommand = (
    name: string,
    { description, type, done }: { description: string; type: MessageChange['type']; done: string },
  ) =>
    outbox
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('[message]', 'id of the message', uuid)
      .description(description)
      .option(...notRetriedOption)
      .option('--json', 'print the result as JSON')
      .action((path, id, options) => {
        requireOne(id, options.notRetried)
        return withDatabase(host, path, async ({ context, request, database }) => {
          const messages = await changeMessages(context, request, { type, id })
          host.print(options, { databaseId: database.id, messages }, `${done}: ${messages}.`)
        })
      })
  addMessageCommand('retry', {
    description: 'deliver a message now',
    type: 'outbox.retried',
    done: 'Messages to deliver again',
  })
  addMessageCommand('drop', {
    description: 'delete a message without delivering it',
    type: 'outbox.dropped',
    done: 'Messages deleted',
  })
}

function requireOne(id: string | undefined, notRetried: true | undefined) {
  if ((id === undefined) === (notRetried === undefined))
    throw usageError('either a message or --not-retried is required')
}

const typeOf = (payload: unknown) => String((payload as { type?: string }).type)
