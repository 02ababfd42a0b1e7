import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { roleName, useConsole } from '../context.js'
import { go } from '../navigation.js'
import { FormDialog } from '../parts/dialog.js'
import { Find } from '../parts/find.js'
import { Field } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Pager, rangeOf, Table, usePages } from '../parts/table.js'
import { count, Empty, Heading, Time } from '../parts/text.js'
import { pathTo } from '../places.js'
import { WithServers } from './installation/servers.js'

/** The workspaces of the operator, and the servers for operators of the installation. */
export function Installation() {
  const { info, may } = useConsole()
  return (
    <>
      <Heading title="Workspaces" />
      {may('listServers') ? (
        <WithServers>
          <Workspaces />
        </WithServers>
      ) : (
        <>
          <Workspaces />
          <p class="soft">Usher {info.version}</p>
        </>
      )}
    </>
  )
}

function Workspaces() {
  const { may } = useConsole()
  const [prefix, setPrefix] = useState('')
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(() => call('listWorkspaces', { query: { prefix, after } }), [prefix, after], true)
  const { data } = loading
  // What former texts have found is shown until then, but not counted.
  const shown = data &&
    !loading.isBusy && {
      one: 'workspace',
      rows: data.workspaces.length,
      pages,
      next: data.next,
      isSearch: prefix !== '',
    }
  return (
    <>
      <div class="row spread">
        <Find
          label="Find workspaces by the start of their slug"
          value={prefix}
          status={shown ? rangeOf(shown) : ''}
          find={(text) => {
            pages.first()
            setPrefix(text)
          }}
        />
        {may('createWorkspace') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Create a workspace
          </button>
        )}
      </div>
      <Loaded of={loading}>
        {({ workspaces, next }) => (
          <>
            <Table
              caption={shown ? rangeOf(shown) : 'Loading…'}
              rows={workspaces}
              keyOf={({ slug }) => slug}
              columns={[
                { name: 'Workspace', cell: ({ slug }) => <a href={pathTo(slug)}>{slug}</a> },
                { name: 'Databases', isKept: true, cell: ({ databases }) => count(databases) },
                { name: 'Your role', cell: ({ role }) => roleName(role) },
                { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
              empty={
                !shown ? (
                  <p class="soft">Loading…</p>
                ) : prefix ? (
                  <Empty>No workspace begins with this text.</Empty>
                ) : (
                  <Empty command="workspace create acme">Create a workspace, and a database in it.</Empty>
                )
              }
            />
            <Pager pages={pages} next={shown ? next : null} rows={workspaces.length} />
          </>
        )}
      </Loaded>
      {isAdding && (
        <FormDialog
          title="Create a workspace"
          onClose={() => setAdding(false)}
          submit="Create"
          send={async ({ slug = '' }) => {
            const { error } = await call('createWorkspace', { body: { slug } })
            if (!error) go(pathTo(slug))
            return error
          }}
        >
          <Field name="slug" label="Slug" hint="Part of every path. It cannot change." maxLength={63} />
        </FormDialog>
      )}
    </>
  )
}
