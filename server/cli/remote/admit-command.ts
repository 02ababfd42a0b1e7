import type { DatabasePath } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import { findDatabaseRow, ruleDatabase } from '../../domain/databases/find-database.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { runRecorded } from '../../domain/operators/actions.js'
import { admitOperator, requireConfirmed } from '../../domain/operators/admit-operator.js'
import type { AdmittedOperator } from '../../domain/operators/operator-request.js'
import { roleIn } from '../../domain/operators/rights.js'
import { ClientDisconnected, Problem, unless } from '../../domain/problem.js'
import type { StartOptions } from '../../index.js'
import { seenBy } from '../../run/by-operator.js'
import type { Host, RemoteOperator, TypedCommand } from '../io/host.js'
import type { Question } from '../running-server/messages.js'
import { neededFor } from './command-rights.js'

/** An operator who runs a command on another machine. */
export type RemoteCaller = Parameters<NonNullable<StartOptions['runCommand']>>[1]

type Admit = NonNullable<Host['admit']>

/**
 * Returns a function that runs a command if its operator may use the operation that does the same: with the same role, in the same
 * workspaces, and with a confirmation if the operation needs one. A change is recorded as that operation.
 */
export const admitCommand =
  (by: RemoteCaller, ask: (question: Question) => Promise<unknown>): Admit =>
  async (command, host, run) => {
    const { context, caller, jwt } = by
    const { operation, right, isRead, confirms, body } = neededFor(command)
    const path = pathOf(command)
    const workspaceSlug = right.in === 'workspace' ? path?.workspaceSlug : undefined
    const credentials = { caller, jwt, confirmation: undefined }
    const admitted = await admitOperator(context, credentials, { right, workspaceSlug })
    const target = await targetOf(by.context, { ...command, isRead }, admitted)
    if (confirms) await requireConfirmed(context, admitted, { text: String(await ask({ confirm: true })) })
    const { user, operators, role } = admitted
    let printed: unknown
    const work = async () => {
      await run({
        ...host,
        remote: remoteOperator(by, admitted),
        print(options, value, text) {
          printed = value
          host.print(options, seenBy(role, value), text)
        },
      })
      return printed
    }
    const done = () => work().catch((error) => failed(error, by))
    if (isRead) return void (await done())
    await runRecorded(context, caller.log, {
      action: operation,
      operator: user,
      databaseId: operators.id,
      requestId: by.requestId,
      params: { ...path, ...target },
      body,
      run: done,
    })
  }

/** Logs an error that its operator gets no details of. A client that disconnects is no error of the server. */
function failed(error: unknown, { caller, requestId }: RemoteCaller): never {
  if (error instanceof ClientDisconnected)
    throw new Problem('cancelled', { detail: 'The client has disconnected.', cause: error })
  if (!(error instanceof Problem)) caller.log.warn({ err: error, reqId: requestId }, 'a command failed')
  throw error
}

const pathOf = ({ args }: Pick<TypedCommand, 'args'>) => args['workspace/name'] as DatabasePath | undefined

const isOfInstallation = ({ user, operators }: AdmittedOperator) => roleIn(user, [operators.id]) !== undefined

function remoteOperator({ caller }: RemoteCaller, admitted: AdmittedOperator): RemoteOperator {
  const { id, email, memberships } = admitted.user
  const workspaceIds = isOfInstallation(admitted) ? undefined : memberships.map((each) => each.id)
  return { id, email, log: caller.log, workspaceIds }
}

/**
 * Returns what a command changes, by the names of the path parameters of operations.
 *
 * @throws {Problem} `database_not_found`, also for the operators' database, which no operator changes as a database;
 * `user_not_found`
 */
async function targetOf(
  { store }: RemoteCaller['context'],
  { name, args, isRead }: TypedCommand & { isRead: boolean },
  admitted: AdmittedOperator,
) {
  const path = pathOf({ args })
  const row = path && (await findDatabaseRow(store, path))
  // The command would name similar databases of other workspaces.
  const isUnknown = path && !row && name !== 'database create' && !isOfInstallation(admitted)
  if (row?.isOperators || isUnknown) throw new Problem('database_not_found')
  const text = (argument: string) => (typeof args[argument] === 'string' ? args[argument] : undefined)
  const user = text('user')
  const isAddress = !isRead && user !== undefined && !isUuid(user)
  const account = path && row && isAddress && (await findAccount(store, ruleDatabase(row, path), user))
  const email = name.startsWith('operator ') ? text('email') : undefined
  // A new operator has no id yet.
  const operator =
    email && (await findAccount(store, admitted.operators, email).catch(unless('user_not_found')))
  return {
    userId: account ? account.id : user,
    tenantId: text('tenant'),
    operatorId: operator ? operator.id : undefined,
    apiKeyId: text('key'),
    kid: text('kid'),
    connection: text('connection'),
  }
}
