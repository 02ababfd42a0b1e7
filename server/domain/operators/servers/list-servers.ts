import type { ServerInfo, ServerList, Warning } from '@usher/contract/operator'
import { findDatabasePath } from '../../../store/queries/databases.js'
import { hasTwoOwners } from '../../../store/queries/operators.js'
import { listStatusRows, type StatusRow } from '../../../store/queries/server-status.js'
import type { Queries } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import { channels } from '../../outbox/statistics.js'
import { requireOperators } from '../operators-database.js'
import { combined, mostWaiting } from './report.js'
import type { Status } from './status.js'

/** A server that has not reported for so long counts as silent: 8 reports are missing. */
const silentMilliseconds = 120_000
const dayMilliseconds = 86_400_000

/** Returns the servers of the installation, and what an operator should do something about. */
export async function listServers(context: AppContext): Promise<ServerList> {
  const { store, now } = context
  const operators = await requireOperators(context)
  const reported = (await listStatusRows(store, operators.id)).map((row) => ({
    ...row,
    status: row.status as unknown as Status,
    isSilent: now() - row.seenAt.getTime() > silentMilliseconds,
  }))
  const shown = reported.filter(
    (server) => now() - server.seenAt.getTime() < dayMilliseconds && !isReplaced(server, reported),
  )
  const warnings = [
    ...warningsOf(shown),
    ...(await messageWarnings(store, shown)),
    ...((await hasTwoOwners(store, operators.id)) ? [] : [warning('one_owner')]),
  ]
  return { servers: shown.map(serverInfo), warnings }
}

/** A server with what it has reported last. */
interface Reported extends Omit<StatusRow, 'status'> {
  status: Status
  isSilent: boolean
}

/** Returns whether a server on the same host and port has started after the last report. */
const isReplaced = ({ name, seenAt }: Reported, all: readonly Reported[]) =>
  all.some((other) => other.name === name && other.startedAt > seenAt)

const serverInfo = ({ status, startedAt, seenAt, ...row }: Reported): ServerInfo => ({
  ...row,
  startedAt: startedAt.toISOString(),
  seenAt: seenAt.toISOString(),
  load: status.load,
  lastHour: status.lastHour,
  maxQueueSeconds: status.maxQueueSeconds,
  maxConnections: status.maxConnections,
})

const warning = (
  code: Warning['code'],
  { count = null, about = null }: { count?: number | null; about?: string | null } = {},
): Warning => ({ code, count, about })

/** Returns the warnings that follow from the reports alone. */
function warningsOf(servers: readonly Reported[]): Warning[] {
  const live = servers.filter(({ isSilent }) => !isSilent)
  const versions = [...new Set(live.map(({ version }) => version))].sort()
  const lastHour = combined(
    live.map(({ status }) => status.lastHour),
    'processes',
  )
  return [
    ...servers.flatMap(({ isSilent, name }) => (isSilent ? [warning('server_silent', { about: name })] : [])),
    ...(versions.length > 1 ? [warning('versions_differ', { about: versions.join(', ') })] : []),
    ...(lastHour.mailsFailed > 0 && lastHour.mailsSent === 0
      ? [warning('mails_fail', { count: lastHour.mailsFailed })]
      : []),
    ...(live.some(({ status }) => status.hasNewMasterKey) ? [warning('master_key_changes')] : []),
  ]
}

/** Returns a warning for the messages that wait for an operator. */
async function messageWarnings(store: Queries, servers: readonly Reported[]): Promise<Warning[]> {
  const live = servers.flatMap(({ isSilent, status }) => (isSilent ? [] : status.waiting))
  const waiting = channels.map((channel) => mostWaiting(live, channel)).filter(({ count }) => count > 0)
  const [first] = waiting
  if (!first) return []
  const count = waiting.reduce((sum, each) => sum + each.count, 0)
  return [warning('messages_wait', { count, about: await findDatabasePath(store, first.databaseId) })]
}
