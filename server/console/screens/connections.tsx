import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Failure } from '../parts/failure.js'
import { Loaded, useLoad, useTask } from '../parts/load.js'
import { Table } from '../parts/table.js'
import { Empty, Heading, Name } from '../parts/text.js'

type Connection = DataOf<'listConnectionDetails'>['connections'][number]

/** The connections of a database to providers. */
export function Connections() {
  const { at, may } = useConsole()
  const task = useTask()
  const loading = useLoad(() => call('listConnectionDetails', at), [])
  const check = (connection: string) =>
    task.run(() => call('checkConnection', { ...at, connection }), `${connection} knows the client.`)
  return (
    <>
      <Heading title="Connections" />
      <Failure problem={task.problem} />
      <Loaded of={loading}>
        {({ connections }) => (
          <Table
            caption="Connections to identity providers"
            rows={connections}
            keyOf={({ name }) => name}
            columns={[
              { name: 'Name', cell: ({ name }) => <Name of={name} /> },
              { name: 'Preset', cell: ({ preset }) => preset },
              { name: 'State', isKept: true, cell: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled') },
              { name: 'Issuer', cell: ({ issuer }) => <bdi>{issuer}</bdi> },
              { name: 'Client ID', cell: ({ clientId }) => <Name of={clientId} /> },
              {
                name: 'Callback URL',
                cell: ({ callbackUrl }) => <code>{callbackUrl}</code>,
              },
              ...(may('checkConnection')
                ? [
                    {
                      name: '',
                      cell: ({ name }: Connection) => (
                        <button
                          type="button"
                          aria-label={`Check ${name}`}
                          disabled={task.isBusy}
                          onClick={() => check(name)}
                        >
                          Check
                        </button>
                      ),
                    },
                  ]
                : []),
            ]}
            empty={
              <Empty command={`usher connection add ${at.workspaceSlug}/${at.databaseName} google`}>
                Users log in with passwords, passkeys and mails. Add a provider on the command line.
              </Empty>
            }
          />
        )}
      </Loaded>
    </>
  )
}
