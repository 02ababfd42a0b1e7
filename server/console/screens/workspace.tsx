import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { FormDialog } from '../parts/dialog.js'
import { Find } from '../parts/find.js'
import { Field } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Pager, rangeOf, Table, usePages } from '../parts/table.js'
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
    true,
  )
  const { data } = loading
  // What former texts have found is shown until then, but not counted.
  const shown = data &&
    !loading.isBusy && {
      one: 'database',
      rows: data.databases.length,
      pages,
      next: data.next,
      isSearch: prefix !== '',
    }
  return (
    <>
      <div class="row spread top">
        <Heading title={`Databases of ${workspaceSlug}`} />
        {may('createDatabase') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Create a database
          </button>
        )}
      </div>
      <div class="row">
        <Find
          label="Find databases by the start of their name"
          value={prefix}
          status={shown ? rangeOf(shown) : ''}
          find={(text) => {
            pages.first()
            setPrefix(text)
          }}
        />
      </div>
      <Loaded of={loading}>
        {({ databases, next }) => (
          <>
            <Table
              caption={shown ? rangeOf(shown) : 'Loading…'}
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
                !shown ? (
                  <p class="soft">Loading…</p>
                ) : prefix ? (
                  <Empty>No database begins with this text.</Empty>
                ) : (
                  <Empty command={may('createDatabase') ? `database create ${workspaceSlug}/app` : undefined}>
                    {may('createDatabase') ? 'Create a database for your app.' : 'There is no database yet.'}
                  </Empty>
                )
              }
            />
            <Pager pages={pages} next={shown ? next : null} rows={databases.length} />
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
