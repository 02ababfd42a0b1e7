import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Danger } from '../../parts/dialog.js'
import { Loaded, useLoad } from '../../parts/load.js'
import { announce } from '../../parts/status.js'
import { type Column, Pager, rangeOf, Table, usePages } from '../../parts/table.js'
import { Empty, Heading3, Name, Time } from '../../parts/text.js'
import { pathTo } from '../../places.js'
import type { PartProps } from './single-sign-on.js'

type Entry = DataOf<'listSsoEntries'>['entries'][number]

/** The people whom a login with the provider of a tenant has linked to users. */
export function People({ tenantId, sso: { connections }, reload }: PartProps) {
  const { at, may } = useConsole()
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(() => call('listSsoEntries', { ...at, tenantId, query: { after } }), [after])
  const nameOf = ({ email, name, subject }: Entry) => email ?? name ?? subject
  const columns: Column<Entry>[] = [
    {
      name: 'Person',
      cell: (entry) => (
        <a href={pathTo(at.workspaceSlug, at.databaseName, 'users', entry.userId)}>
          <bdi>{nameOf(entry)}</bdi>
        </a>
      ),
    },
    { name: 'Linked', isKept: true, cell: ({ linkedAt }) => <Time at={linkedAt} /> },
    {
      name: 'Connection',
      cell: ({ connectionId, issuer }) => (
        <Name of={connections.find(({ id }) => id === connectionId)?.title ?? issuer} />
      ),
    },
    { name: 'ID at the provider', cell: ({ subject }) => <bdi>{subject}</bdi> },
    {
      name: '',
      cell: (entry) => (
        <Danger
          action="Unlink"
          of={nameOf(entry)}
          consequences={[
            'What the person has opened with single sign-on ends.',
            'The user stays a member, and the next login links again.',
          ]}
          run={() => call('removeSsoEntry', { ...at, tenantId, entryId: entry.id })}
          onDone={() => {
            announce('The person is unlinked.')
            reload()
            loading.reload()
          }}
        />
      ),
    },
  ]
  return (
    <>
      <Heading3 title="People" />
      <Loaded of={loading}>
        {({ entries, next }) => (
          <>
            <Table
              caption={`${rangeOf({ one: 'person', others: 'people', rows: entries.length, pages, next })}, by ID`}
              rows={entries}
              keyOf={({ id }) => id}
              columns={may('removeSsoEntry') ? columns : columns.slice(0, -1)}
              empty={<Empty>Nobody has logged in with the provider.</Empty>}
            />
            <Pager pages={pages} next={next} rows={entries.length} />
          </>
        )}
      </Loaded>
    </>
  )
}
