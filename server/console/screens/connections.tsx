import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Failure } from '../parts/failure.js'
import { Loaded, useLoad, useTask } from '../parts/load.js'
import { type Column, Table } from '../parts/table.js'
import { Empty, Heading, Name } from '../parts/text.js'
import { pathTo } from '../places.js'
import { AddConnection } from './connections/add-connection.js'

type Connection = DataOf<'listConnectionDetails'>['connections'][number]

/** The connections of a database to providers. */
export function Connections() {
  const { at, may } = useConsole()
  const [isAdding, setAdding] = useState(false)
  const task = useTask()
  const loading = useLoad(() => call('listConnectionDetails', at), [])
  const check = (connection: string) =>
    task.run(() => call('checkConnection', { ...at, connection }), `${connection} knows the client.`)
  const columns: Column<Connection>[] = [
    {
      name: 'Name',
      cell: ({ name }) => <a href={pathTo(at.workspaceSlug, at.databaseName, 'connections', name)}>{name}</a>,
    },
    { name: 'Preset', cell: ({ preset }) => preset },
    { name: 'State', isKept: true, cell: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled') },
    { name: 'Issuer', cell: ({ issuer }) => <bdi>{issuer}</bdi> },
    { name: 'Client ID', cell: ({ clientId }) => <Name of={clientId} /> },
    {
      name: '',
      cell: ({ name }) => (
        <button type="button" aria-label={`Check ${name}`} disabled={task.isBusy} onClick={() => check(name)}>
          Check
        </button>
      ),
    },
  ]
  return (
    <>
      <Heading title="Connections" />
      <Failure problem={task.problem} />
      <Loaded of={loading}>
        {(list) => (
          <>
            {may('addConnection') && (
              <div class="row">
                <button type="button" class="main" onClick={() => setAdding(true)}>
                  Add a connection
                </button>
              </div>
            )}
            <Table
              caption="Connections to identity providers"
              rows={list.connections}
              keyOf={({ name }) => name}
              columns={may('checkConnection') ? columns : columns.slice(0, -1)}
              empty={
                <Empty
                  command={`connection add ${at.workspaceSlug}/${at.databaseName} google --client-id ID`}
                >
                  Users log in with passwords, passkeys and mails. Add a provider, such as Google.
                </Empty>
              }
            />
            {isAdding && <AddConnection list={list} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </>
  )
}
