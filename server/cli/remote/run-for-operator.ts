import { z } from 'zod'
import { usageError } from '../../domain/problem.js'
import type { StartOptions } from '../../index.js'
import type { Run } from '../io/host.js'
import type { Server } from '../running-server/client-host.js'
import type { ServerMessage, Start } from '../running-server/messages.js'
import { runForClient } from '../running-server/run-for-client.js'
import { admitCommand, type RemoteCaller } from './admit-command.js'
import { createQuestions, filesOfClient } from './questions.js'

type RunCommand = NonNullable<StartOptions['runCommand']>

/** More than a chunk of a file as base64. */
const maxLength = 2 ** 19

const ValidStart = z.object({
  args: z.array(z.string()),
  typesInput: z.boolean(),
  showsErrors: z.boolean(),
  hasColors: z.boolean(),
  columns: z.number().optional(),
})

/** Returns a function that runs the commands of operators on other machines. */
export const runForOperators =
  (server: Pick<Server, 'config'> & { run: Run }): RunCommand =>
  (connection, by) => {
    const { context, stopping } = by
    const placeOf = (start: Start, send: (message: ServerMessage) => Promise<void>) => {
      ValidStart.parse(start)
      return placeOfOperator(by, send)
    }
    const client = { connection, maxLength, placeOf }
    return runForClient(client, { ...server, store: context.store, stopping })
  }

/** Returns the place of a process on another machine, from which the server can open no file of its own. */
function placeOfOperator(by: RemoteCaller, send: (message: ServerMessage) => Promise<void>) {
  const { ask, ...questions } = createQuestions(send)
  return {
    ...questions,
    operator: by.operatorId,
    admit: admitCommand(by, ask),
    files: filesOfClient(ask),
    resolve(file: string): never {
      throw usageError(`a command on another machine cannot use ${file}`)
    },
  }
}
