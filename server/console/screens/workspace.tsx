import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { FormDialog } from '../parts/dialog.js'
import { FindByName } from '../parts/find.js'
import { Field } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Pager, Table, usePages } from '../parts/table.js'
import { count, countOfUsers, Empty, Heading, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

/** The databases of a workspace. */
export function Workspace() {
  const { place, may } = useConsole()
  const { workspaceSlug } = place
  const [prefix, setPrefix] = useState('')
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(
    () => call('listDatabases', { workspaceSlug, query: { prefix, after } }),
    [workspaceSlug, prefix, after],
  )
  return (
    <>
      <Heading title={`Databases of ${workspaceSlug}`} />
      <div class="row">
        <FindByName
          label="Start of the name"
          find={(text) => {
            pages.first()
            setPrefix(text)
          }}
        />
        {may('createDatabase') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Create a database
          </button>
        )}
      </div>
      <Loaded of={loading}>
        {({ databases, next }) => (
          <>
            <Table
              caption={`Databases of ${workspaceSlug}`}
              rows={databases}
              keyOf={({ name }) => name}
              columns={[
                { name: 'Database', cell: ({ name }) => <a href={pathTo(workspaceSlug, name)}>{name}</a> },
                { name: 'Users', cell: ({ users }) => countOfUsers(users) },
                { name: 'Logins, 7 days', cell: ({ logins }) => count(logins) },
                {
                  name: 'State',
                  isKept: true,
                  cell: ({ isBeingDeleted }) => (isBeingDeleted ? 'being deleted' : 'in use'),
                },
                { name: 'App', cell: ({ appUrl }) => appUrl ?? <span class="soft">no app URL</span> },
                { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
              empty={
                <Empty command={`database create ${workspaceSlug}/app`}>
                  {prefix ? 'No database begins with this text.' : 'Create a database for your app.'}
                </Empty>
              }
            />
            <Pager pages={pages} next={next} />
          </>
        )}
      </Loaded>
      {isAdding && (
        <FormDialog
          title="Create a database"
          onClose={() => setAdding(false)}
          submit="Create"
          send={async ({ name = '' }) => {
            const { error } = await call('createDatabase', { workspaceSlug, body: { name } })
            if (!error) go(pathTo(workspaceSlug, name))
            return error
          }}
        >
          <Field name="name" label="Name" hint="Part of every path. It cannot change." maxLength={63} />
        </FormDialog>
      )}
    </>
  )
}
