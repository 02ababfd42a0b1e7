import type { Command } from '@commander-js/extra-typings'
import { dropMessages, listMessages, retryMessages } from '../../domain/management/outbox.js'
import { usageError } from '../../domain/problem.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, uuid } from '../io/arguments.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { print, withStore } from '../io/with-store.js'

const notRetriedOption = [
  '--not-retried',
  'all messages that wait for the operator, because they are no longer retried',
] as const

export function configure(outbox: Command) {
  addPageOptions(outbox.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the messages that are not delivered yet, oldest first')
    .option('--not-retried', 'only messages that wait for the operator, because they are no longer retried')
    .action((path, options) =>
      withStore(async (store) => {
        const messages = await listMessages(store, path, {
          ...options,
          onlyNotRetried: options.notRetried === true,
        })
        printPage(options, messages, {
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
  const messageCommand = (name: string, description: string) =>
    outbox
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('[message]', 'id of the message', uuid)
      .description(description)
      .option(...notRetriedOption)
      .option('--json', 'print the result as JSON')
  messageCommand('retry', 'deliver a message now').action((path, id, options) => {
    requireOne(id, options.notRetried)
    return withStore(async (store, _config, log) => {
      const retried = await retryMessages({ store, now: new Date() }, path, id)
      audit(log, 'outbox.retried', { ...retried, ...(id !== undefined && { message: id }) })
      print(options, retried, `Messages to deliver again: ${retried.messages}.`)
    })
  })
  messageCommand('drop', 'delete a message without delivering it').action((path, id, options) => {
    requireOne(id, options.notRetried)
    return withStore(async (store, _config, log) => {
      const dropped = await dropMessages({ store, now: new Date() }, path, id)
      audit(log, 'outbox.dropped', { ...dropped, ...(id !== undefined && { message: id }) })
      print(options, dropped, `Messages deleted: ${dropped.messages}.`)
    })
  })
}

function requireOne(id: string | undefined, notRetried: true | undefined) {
  if ((id === undefined) === (notRetried === undefined))
    throw usageError('either a message or --not-retried is required')
}

const typeOf = (payload: unknown) => String((payload as { type?: string }).type)
