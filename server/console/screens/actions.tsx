import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Loaded, type Loading, useLoad } from '../parts/load.js'
import { Phrase } from '../parts/phrase.js'
import { Pager, type Pages, rangeOf, Table, usePages } from '../parts/table.js'
import { Empty, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

/** What operators have done: in the installation, in a database, or to a user or tenant of one. */
export function Actions() {
  return useConsole().place.databaseName ? <OfDatabase /> : <OfInstallation />
}

function OfInstallation() {
  const [operatorId, setOperatorId] = useState('')
  const pages = usePages()
  const { after } = pages
  const { may } = useConsole()
  const query = { after, operatorId: operatorId || undefined }
  const loading = useLoad(() => call('listActions', { query }), [query])
  return (
    <>
      <Heading title="Recorded actions" />
      {may('listOperators') && (
        <OperatorFilter
          choose={(id) => {
            pages.first()
            setOperatorId(id)
          }}
        />
      )}
      <List of={loading} pages={pages} />
    </>
  )
}

function OfDatabase() {
  const { at, place } = useConsole()
  const target = place.id || undefined
  const pages = usePages()
  const { after } = pages
  const query = { after, target }
  const loading = useLoad(() => call('listDatabaseActions', { ...at, query }), [query])
  return (
    <>
      <Heading title="Recorded actions" />
      {target && (
        <p>
          Only those on <code>{target}</code>.{' '}
          <a href={pathTo(at.workspaceSlug, at.databaseName, 'actions')}>All of {at.databaseName}</a>
        </p>
      )}
      <List of={loading} pages={pages} />
    </>
  )
}

function List({ of, pages }: { of: Loading<DataOf<'listActions'>>; pages: Pages }) {
  return (
    <Loaded of={of}>
      {({ actions, next }) => (
        <>
          <Table
            caption={`${rangeOf({ one: 'action', rows: actions.length, pages, next })}, the latest first. They are kept for 400 days.`}
            rows={actions}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Time', cell: ({ at }) => <Time at={at} /> },
              {
                name: 'Operator',
                cell: ({ operatorName, operatorEmail }) => <Name of={operatorName ?? operatorEmail} />,
              },
              {
                name: 'Action',
                isKept: true,
                cell: (action) => (
                  <>
                    <Phrase of={action} /> {action.fields && <small>{action.fields}</small>}
                  </>
                ),
              },
              {
                name: 'Database',
                cell: ({ workspace, database }) => [workspace, database].filter(Boolean).join('/') || '–',
              },
              {
                name: 'Target',
                cell: ({ target, tenantId }) => <Name of={tenantId ? `${target} in ${tenantId}` : target} />,
              },
              { name: 'Outcome', cell: ({ outcome }) => outcome ?? 'unknown' },
              { name: 'Request ID', cell: ({ requestId }) => <code>{requestId}</code> },
            ]}
            empty={<Empty>No operator has changed anything.</Empty>}
          />
          <Pager pages={pages} next={next} rows={actions.length} />
        </>
      )}
    </Loaded>
  )
}

function OperatorFilter({ choose }: { choose(id: string): void }) {
  const { data } = useLoad(() => call('listOperators', {}), [])
  return (
    <div class="field">
      <label for="operator">Operator</label>
      <select id="operator" onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all</option>
        {data?.operators.map(({ id, email }) => (
          <option key={id} value={id}>
            {email}
          </option>
        ))}
      </select>
    </div>
  )
}
