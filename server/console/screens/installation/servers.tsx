import type { ComponentChildren } from 'preact'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Loaded, useLoad } from '../../parts/load.js'
import { Table } from '../../parts/table.js'
import { count, counted, duration, Empty, Time } from '../../parts/text.js'
import { pathOf, pathTo } from '../../places.js'

type Server = DataOf<'listServers'>['servers'][number]
type WarningInfo = DataOf<'listServers'>['warnings'][number]

/** What an operator should do something about, the children, and what the servers do. */
export function WithServers({ children }: { children: ComponentChildren }) {
  const loading = useLoad(() => call('listServers', {}), [])
  const warnings = loading.data?.warnings ?? []
  return (
    <>
      {warnings.length > 0 && (
        <section class="note warnings" aria-labelledby="warnings">
          <h2 id="warnings">Warnings</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={`${warning.code} ${warning.about}`}>
                <Warning {...warning} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {children}
      <section>
        <h2>Servers</h2>
        <Loaded of={loading}>
          {({ servers }) => (
            <Table
              caption="The last report, and the maxima of an hour. Shed passwords and failed mails are those of an hour."
              rows={servers}
              keyOf={({ id }) => id}
              columns={columns}
              empty={<Empty>No server has reported yet. Servers report every 15 seconds.</Empty>}
            />
          )}
        </Loaded>
      </section>
    </>
  )
}

/** A value, and the maximum of an hour. */
const Measured = ({ now, most }: { now: ComponentChildren; most: ComponentChildren }) => (
  <>
    {now} <span class="soft">max {most}</span>
  </>
)

const columns = [
  { name: 'Server', cell: ({ name }: Server) => <code>{name}</code> },
  { name: 'Version', cell: ({ version }: Server) => version },
  { name: 'Since', cell: ({ startedAt }: Server) => <Time at={startedAt} /> },
  {
    name: 'Hash queue',
    cell: ({ load, lastHour, maxQueueSeconds }: Server) => (
      <Measured
        now={count(load.queued)}
        most={`${count(lastHour.queued)}, ${duration(lastHour.queueSeconds)} of ${duration(maxQueueSeconds)}`}
      />
    ),
  },
  { name: 'Shed', cell: ({ lastHour }: Server) => count(lastHour.shed) },
  {
    name: 'Connections',
    cell: ({ load, lastHour, maxConnections }: Server) =>
      maxConnections === null ? (
        'embedded store'
      ) : (
        <Measured now={`${load.connections} of ${maxConnections}`} most={lastHour.connections} />
      ),
  },
  {
    name: 'Oldest message',
    cell: ({ load, lastHour }: Server) => (
      <Measured now={duration(load.oldestMessageSeconds)} most={duration(lastHour.oldestMessageSeconds)} />
    ),
  },
  { name: 'Failed mails', cell: ({ lastHour }: Server) => count(lastHour.mailsFailed) },
  {
    name: 'Seen',
    isKept: true,
    cell: ({ isSilent, seenAt }: Server) => (
      <>
        {isSilent && <strong>not seen since </strong>}
        <Time at={seenAt} />
      </>
    ),
  },
]

function Warning({ code, count: number, about }: WarningInfo) {
  const { info, may } = useConsole()
  switch (code) {
    case 'server_silent':
      return (
        <>
          <strong>{about} has not reported for two minutes.</strong> Look whether it runs, and at its log. If
          it was removed, it leaves the list after a day.
        </>
      )
    case 'versions_differ':
      return (
        <>
          <strong>Servers have different versions: {about}.</strong> Replace the older ones, one by one.
        </>
      )
    case 'messages_wait':
      return (
        <MessagesWait number={number ?? 0} path={about} operators={`${info.workspace}/${info.database}`} />
      )
    case 'mails_fail':
      return (
        <>
          <strong>No mail was sent in the last hour, and {counted(number ?? 0, 'attempt')} failed.</strong>{' '}
          Check <code>SMTP_URL</code> and the log of a server.
        </>
      )
    case 'one_owner':
      return (
        <>
          <strong>The installation has one owner only.</strong> Without that owner, only a command on the host
          lets anyone in.{' '}
          {may('listOperators') ? (
            <a href={pathOf('operators')}>Add an owner</a>
          ) : (
            'An owner can add another one.'
          )}
        </>
      )
    default:
      return (
        <>
          <strong>The master key is being changed.</strong> Run <code>npx @usher/server keys rewrap</code>,
          set the new key as <code>USHER_MASTER_KEY</code>, and remove <code>USHER_NEW_MASTER_KEY</code>.
        </>
      )
  }
}

function MessagesWait({
  number,
  path,
  operators,
}: {
  number: number
  path: string | null
  operators: string
}) {
  const [workspaceSlug = '', databaseName = ''] = path?.split('/') ?? []
  return (
    <>
      <strong>{counted(number, 'message')} could not be delivered, and will not be tried again.</strong>{' '}
      {path &&
        (path === operators ? (
          <>
            Run <code>npx @usher/server outbox list {path} --not-retried</code>.
          </>
        ) : (
          <a href={pathTo(workspaceSlug, databaseName, 'deliveries')}>Deliveries of {path}</a>
        ))}
    </>
  )
}
