import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Copy } from '../../parts/copy.js'
import { Danger } from '../../parts/dialog.js'
import { Failure } from '../../parts/failure.js'
import { useTask } from '../../parts/load.js'
import { announce } from '../../parts/status.js'
import { type Column, Table } from '../../parts/table.js'
import { counted, Empty, Heading3, Name, Time } from '../../parts/text.js'
import { AddConnection, ChangeConnection, presetTitles } from './connection-form.js'
import type { PartProps } from './single-sign-on.js'

type Connection = DataOf<'getSso'>['connections'][number]

/** The connections of a tenant to its identity providers. */
export function Connections({ tenantId, sso: { connections, required, callbackUrl }, reload }: PartProps) {
  const { at, may } = useConsole()
  const [isAdding, setAdding] = useState(false)
  const [changed, setChanged] = useState<Connection>()
  const task = useTask()
  const of = { ...at, tenantId }
  const check = ({ id, title }: Connection) =>
    task
      .run(
        () => call('checkSsoConnection', { ...of, connectionId: id }),
        `The provider of ${title} knows the client.`,
      )
      .then(reload)
  const columns: Column<Connection>[] = [
    { name: 'Title', cell: ({ title }) => <Name of={title} /> },
    {
      name: 'State',
      isKept: true,
      cell: ({ isEnabled }) => <span class="whole">{isEnabled ? 'enabled' : 'disabled'}</span>,
    },
    { name: 'Provider', cell: ({ preset }) => presetTitles[preset] ?? preset },
    { name: 'Issuer', cell: ({ issuer }) => <bdi>{issuer}</bdi> },
    {
      name: 'Callback URL',
      cell: ({ title, callbackUrl }) => <Copy value={callbackUrl} of={`the callback URL of ${title}`} />,
    },
    { name: 'Last login', cell: ({ testedAt }) => <Time at={testedAt} /> },
    {
      name: '',
      cell: (connection) => (
        <div class="row">
          {may('checkSsoConnection') && (
            <button
              type="button"
              aria-label={`Check ${connection.title}`}
              disabled={task.isBusy}
              onClick={() => check(connection)}
            >
              Check
            </button>
          )}
          {may('changeSsoConnection') && (
            <button
              type="button"
              aria-label={`Change ${connection.title}`}
              onClick={() => setChanged(connection)}
            >
              Change
            </button>
          )}
          {may('removeSsoConnection') && (
            <Danger
              action="Remove"
              of={connection.title}
              consequences={[
                'Members cannot log in with it, and its people are no longer known.',
                ...(required
                  ? ['Single sign-on stays required: only exempt owners can open the tenant.']
                  : []),
                'Its secret is deleted, and the owners get a mail.',
              ]}
              run={() => call('removeSsoConnection', { ...of, connectionId: connection.id })}
              onDone={() => {
                announce('The connection is removed.')
                reload()
              }}
            />
          )}
        </div>
      ),
    },
  ]
  return (
    <>
      <Heading3 title="Connections">
        {may('addSsoConnection') && (
          <button type="button" onClick={() => setAdding(true)}>
            Connect a provider
          </button>
        )}
      </Heading3>
      <Failure problem={task.problem} />
      <Table
        caption={`${counted(connections.length, 'connection')} to identity providers of the tenant`}
        rows={connections}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty
            command={
              may('addSsoConnection')
                ? `tenant sso portal ${at.workspaceSlug}/${at.databaseName} ${tenantId}`
                : undefined
            }
          >
            No provider is connected.{' '}
            {may('addSsoConnection') && 'Connect one, or send the customer a setup link.'}
          </Empty>
        }
      />
      {isAdding && (
        <AddConnection
          tenantId={tenantId}
          callbackUrl={callbackUrl}
          reload={reload}
          onClose={() => setAdding(false)}
        />
      )}
      {changed && (
        <ChangeConnection
          tenantId={tenantId}
          connection={changed}
          reload={reload}
          onClose={() => setChanged(undefined)}
        />
      )}
    </>
  )
}
